"""Identifies the language of texts, among more than 1,600.

>>> from forage import langid
>>> langid.identify("Danes je lep dan, zato bomo šli na sprehod do jezera.").code
'slv'
"""

from ._langid import Identification, Identifier, __version__, identify, identify_many

__all__ = ["Identification", "Identifier", "identify", "identify_many"]

//! Similarity of two articles by their keyphrases.

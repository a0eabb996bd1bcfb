"""Files of results, which are compressed with zstd, and the report that is made from them."""
import pathlib
import subprocess

LAB = pathlib.Path(__file__).resolve().parent


def read_results(path):
    """Returns the lines of a file of results; none if it does not exist."""
    if not path.exists():
        return []
    return subprocess.run(["zstd", "-dcq", path], stdout=subprocess.PIPE, check=True).stdout.decode().splitlines()


def write_results(path, lines):
    """Writes the lines of a file of results."""
    text = "".join(line + "\n" for line in lines)
    subprocess.run(["zstd", "-qf", "-19", "-o", path], input=text.encode(), check=True)


def write_report(*arguments):
    """Writes the tables, figures and verdicts of all experiments: to target/lab, or `FOLDER RESULTS`."""
    subprocess.run([LAB / "report", *arguments], check=True)

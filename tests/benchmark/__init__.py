"""Measures what must stay quick, as ratios, in Markdown. Not a test: nothing here can fail.

    python -m tests.benchmark               in a minute
    python -m tests.benchmark --full        a session of a million messages and a file of 100 MB, in some minutes
    python -m tests.benchmark frames start  some of the measurements

Every yardstick is measured on the same machine in the same run, so that the machine's speed cancels out.
"""

"""What the rows of the suite "rows" are: the table that table.py and windows.py fill."""
import collections

Row = collections.namedtuple(
    "Row", "family sizes small reference rivals data read sized")
ROWS = {}


def row(family, name, sizes, small, reference, rivals, data=None, read=None,
        sized=False):
    """"read" tells the share of the bytes of inputs that must be read, if that
    is not all. If "sized", the functions get the sizes, too.
    """
    ROWS[name] = Row(family, sizes, small, reference, rivals, data or {},
                     read, sized)

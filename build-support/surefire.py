"""Surefire's reports, as build-support/summary and build-support/matrix/results read them."""

import re


def reports(source, module="*"):
    """The reports of these modules, one of each test class."""
    found = sorted(source.glob(f"{module}/target/surefire-reports/TEST-*.xml"))
    return found + sorted(source.glob(f"lab/{module}/target/surefire-reports/TEST-*.xml"))


def problem(case):
    """What failed, or None."""
    found = case.find("failure")
    return found if found is not None else case.find("error")


def why_skipped(case):
    """The reason why a test was skipped, in one line, or None if it was not. Of an assumption only the stack trace has it."""
    skipped = case.find("skipped")
    if skipped is None:
        return None
    said = (skipped.get("message") or skipped.text or "").strip().splitlines()
    return re.sub(r"^[\w.]*TestAbortedException: |(?<!\w)Assumption failed: ", "", said[0]) if said else "no reason given"

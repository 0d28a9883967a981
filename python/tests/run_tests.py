#!/usr/bin/env python3
"""Runs the tests of this folder. Its last lines count them as cmocka does, for build-support/run-test."""

import pathlib
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.dont_write_bytecode = True

found = unittest.TestLoader().discover(str(HERE))
result = unittest.TextTestRunner(stream=sys.stdout, verbosity=2).run(found)
failed = len(result.failures) + len(result.errors) + len(result.unexpectedSuccesses)
print("[  PASSED  ] %d test(s)." % (result.testsRun - failed - len(result.skipped)))
if result.skipped:
    print("[  SKIPPED ] %d test(s)." % len(result.skipped))
if failed:
    print("[  FAILED  ] %d test(s)." % failed)
sys.exit(bool(failed or result.testsRun == 0))

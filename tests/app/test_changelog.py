"""The changelog as À propos shows it."""

from app import changelog
from app.changelog import Section, Version

TEXT = """# Changelog

The format is that of Keep a Changelog.

## Unreleased

### Added
* One thing, which takes
  two lines.
* `archiviste other`.

### Format
* archive.db 2.

## 0.1.0 - 2026-11-30

### Fixed
* Another.
"""


def test_versions_sections_and_sentences_are_told_apart():
    assert tuple(changelog.parse(TEXT.splitlines())) == (
        Version(
            "Unreleased",
            (
                Section("Added", ("One thing, which takes two lines.", "`archiviste other`.")),
                Section("Format", ("archive.db 2.",)),
            ),
        ),
        Version("0.1.0 - 2026-11-30", (Section("Fixed", ("Another.",)),)),
    )


def test_nothing_is_said_of_an_empty_file():
    assert tuple(changelog.parse([])) == ()


def test_ours_is_read_whole():
    versions = changelog.read()
    told = sum(len(section.changes) for version in versions for section in version.sections)
    written = changelog.resource(changelog.FILE).read_text("utf-8")
    assert versions and told == sum(line.startswith("* ") for line in written.splitlines())

"""The course's own package name; only the chapter's part of it lives here."""

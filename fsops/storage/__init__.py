"""Files: processes as XML, tables, and the one way to write anything."""

from fsops.storage.process_xml import format_process, parse_process, read_process, write_process

__all__ = ["format_process", "parse_process", "read_process", "write_process"]

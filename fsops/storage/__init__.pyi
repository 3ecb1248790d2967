from .process_reader import parse_process
from .process_writer import format_process
from .process_xml import read_process, write_process

__all__ = ["format_process", "parse_process", "read_process", "write_process"]

"""The commands of the program ``levygrid``, one file per command."""

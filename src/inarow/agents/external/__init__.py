"""Other people's agents, each in a process of its own, behind the kernel's walls where there are some."""

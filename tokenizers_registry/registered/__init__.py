"""Tokenizers that users register: a file each, checked in a limited process, counted apart from the built-in ones.

`files` says what is known of one, `recognizing` refuses what is none by its first bytes, `reading` turns the three
formats into counters, `checking` is the process that looks at a file first and `checker` its side in the server,
`folder` is where counting workers find the bytes.
"""

"""x"""
import argparse
def add_parser(commands): return commands.add_parser("tune")
def execute(args): return 0

"""placeholder"""
def render_report() -> str: return ""

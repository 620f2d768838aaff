"""The canvas: style of all figures, colours, and how a figure is kept."""

from importlib.resources import as_file, files
from pathlib import Path

import matplotlib as mpl
from IPython.display import Image
from matplotlib import font_manager
from matplotlib.figure import Figure
from matplotlib.transforms import Bbox

# Okabe and Ito's colours, safe for the colour-blind.
ACCEPTED, REJECTED, INVALID, INK = "#0072B2", "#D55E00", "#999999", "#333333"
VERDICTS = {"CORRECT": ACCEPTED, "INCORRECT": REJECTED, "INVALID": INVALID}
SERIES = ("#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#0072B2", "#D55E00")
WIDTH = 7.0
TELUGU = "fontpkg_noto_sans_telugu"


def style() -> None:
    """Set the style of all figures; Arabic and Telugu have a font, and files are reproducible."""
    with as_file(files(TELUGU) / "files") as folder:
        for path in sorted(folder.glob("*.ttf")):
            font_manager.fontManager.addfont(path)
    with as_file(files(__package__) / "style.mplstyle") as path:
        mpl.rcParams.update(mpl.rc_params_from_file(path, use_default_template=False))


def save(figure: Figure, folder: str | Path, name: str, alt: str) -> Image:
    """Write ``<name>.png`` and ``<name>.svg``, byte-identical between runs.

    Parameters
    ----------
    figure : Figure
    folder, name : str
    alt : str
        What the picture shows, for those who cannot see it.

    Returns
    -------
    Image
        The picture, to be shown in a notebook.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    _settle(figure)
    figure.savefig(folder / f"{name}.png", metadata={"Software": None})
    figure.savefig(folder / f"{name}.svg", metadata={"Date": None, "Title": alt})
    return Image(folder / f"{name}.png", width=100 * figure.get_figwidth(), alt=alt)


def _settle(figure: Figure) -> None:
    """Lay the figure out once and round the result.

    The layout's solver gives positions that differ between runs in their last digits, which
    shows in the names of clip paths.
    """
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    for axes in figure.axes:
        axes.set_position(Bbox(axes.get_position().get_points().round(6)))


def nothing(heading: str, reason: str) -> Figure:
    """Draw a figure that has nothing to show, and say why."""
    style()
    figure = Figure(figsize=(WIDTH, 0.9), layout="constrained")
    figure.text(0.5, 0.35, reason, ha="center", style="italic", fontsize=8, family="DejaVu Sans")
    figure.suptitle(heading, fontsize=9)
    return figure

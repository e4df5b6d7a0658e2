"""Figures: the same bytes each time, text as paths, data beside them, reasons instead of empty axes."""

import matplotlib
import pyarrow as pa
import pyarrow.parquet as pq

from seedlot.report import plot


def draw():
    with plot.style():
        fig = plot.new_figure(4, 3)
        ax = fig.add_subplot()
        ax.plot([0, 1], [1, 0.2], color=plot.BLUE)
        ax.plot([0, 1], [1, 0.21], color=plot.RED)
        ax.set(xlabel="removed (share)", ylabel="LCC (share)", ylim=(0, 1))
        plot.end_labels(ax, [(0.2, "low", plot.BLUE), (0.21, "high", plot.RED)])
        plot.footer(fig, "simulated", "a test")
        return plot.svg_text(fig)


def test_a_figure_has_the_same_bytes_each_time_whatever_the_users_settings():
    first = draw()
    with matplotlib.rc_context({"font.size": 20, "svg.hashsalt": "other", "svg.fonttype": "none"}):
        assert draw() == first


def test_a_figure_holds_no_date_and_no_text_that_needs_a_font():
    text = draw()
    assert "<dc:date>" not in text and "<text" not in text


def test_labels_at_the_ends_of_near_curves_do_not_overlap():
    with plot.style():
        ax = plot.new_figure(4, 3).add_subplot()
        ax.set(ylim=(0, 1))
        plot.end_labels(ax, [(0.99, "a", "k"), (0.995, "b", "k"), (1.0, "c", "k")], gap=0.06)
        heights = sorted(t.get_position()[1] for t in ax.texts)
    assert all(b - a >= 0.06 - 1e-9 for a, b in zip(heights, heights[1:]))
    assert heights[-1] <= 1.0 + 1e-9


def test_an_item_without_result_prints_its_status_and_reason():
    with plot.style():
        fig = plot.empty_figure("over_budget", "betweenness would take 378,000 hours", "NBC")
        words = [t.get_text() for t in fig.axes[0].texts]
    assert words == ["over_budget", "betweenness would take 378,000 hours"]


def test_the_table_beside_a_figure_keeps_its_rows_in_order(tmp_path):
    data = pa.table({"x": [3, 1, 2]})
    with plot.style():
        plot.save_figure(plot.empty_figure("ok", "x"), tmp_path / "a.svg", data, tmp_path / "a.parquet")
    assert pq.read_table(tmp_path / "a.parquet").column("x").to_pylist() == [3, 1, 2]
    assert (tmp_path / "a.svg").read_text().startswith("<?xml")

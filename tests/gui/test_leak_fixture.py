"""The fixture that looks for windows left behind must be able to find one."""

from PyQt6.QtWidgets import QApplication, QDialog, QWidget


def test_windows_left_behind_are_found_shown_or_hidden(stray_windows):
    before = QApplication.topLevelWidgets()
    shown, hidden = QWidget(), QDialog()
    shown.setObjectName("forgotten")
    shown.show()
    assert sorted(stray_windows(before)) == ["QDialog ''", "QWidget 'forgotten'"]
    shown.deleteLater()
    hidden.deleteLater()
    assert stray_windows(before) == []

"""Lessons command: walk through lessons with their model solutions, and report problems."""

import argparse
from pathlib import Path

from simulator.cli.errors import FAILED, OK, InputError
from simulator.lessons.load import check_order, read_lesson
from simulator.lessons.model import Lesson, LessonError
from simulator.lessons.walk import lint, required_versions

FOLDER = "lessons"
MAX_BYTES = 2_000_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = "exit status: 0 all lessons pass, 1 a lesson fails, 2 no lesson was found"
    parser.add_argument(
        "folder", nargs="*", default=[FOLDER], help="a lesson, or a folder of lessons (default: lessons)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return the exit status. Raises InputError."""
    folders = [folder for name in arguments.folder for folder in lesson_folders(Path(name))]
    failed, sound = 0, []
    for folder in folders:
        try:
            lesson = read_folder(folder)
            problems = lint(lesson)
            sound.append(lesson)
        except LessonError as error:
            problems = error.problems
        failed += bool(problems)
        if problems:
            print(f"{folder.name}: {len(problems)} problems")
            for problem in problems:
                print(f"  {problem}")
        else:
            print(_line(lesson))
    # The order can be checked only if all lessons of a folder are valid.
    wrong = check_order(sound) if len(sound) == len(folders) > 1 else []
    for problem in wrong:
        print(problem)
    print(f"{len(folders) - failed} passed, {failed} failed")
    return FAILED if failed or wrong else OK


def _line(lesson: Lesson) -> str:
    steps = len(next(iter(lesson.texts.values())).steps)
    parts = (f"{steps} steps", f"{len(lesson.checks)} checks", *lesson.texts, *required_versions(lesson.scenario))
    return f"{lesson.slug}: {', '.join(parts)}"


def lesson_folders(folder: Path) -> list[Path]:
    """Return the folders of lessons in a folder, or the folder itself if it is a lesson. Raises InputError."""
    folders = [folder] if (folder / "checks.yaml").is_file() else sorted(p.parent for p in folder.glob("*/checks.yaml"))
    if not folders:
        raise InputError([f"{folder}: contains no lesson (a folder with a checks.yaml)"])
    return folders


def read_folder(folder: Path) -> Lesson:
    """Return the lesson in a folder. Raises LessonError."""
    files = {path.name: path for path in folder.iterdir() if path.is_file()}
    return read_lesson(folder.name, {name: path.read_bytes()[:MAX_BYTES].decode() for name, path in files.items()})

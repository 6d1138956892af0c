"""Use resources that must stay in one thread, such as database connections, from the event loop."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, Protocol, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor


class Closable(Protocol):
    """A resource that can be closed, such as a database connection."""

    def close(self) -> None:
        """Close the resource. Calling this twice is safe."""
        ...


Owned = TypeVar("Owned", bound=Closable)
T = TypeVar("T")


class OwnThread(Generic[Owned]):
    """Runs functions in a separate thread that owns a resource, such as a database connection.

    ``opener`` opens the resource when it is first needed, and reopens it if it is needed again after being closed.
    """

    def __init__(self, opener: Callable[[], Owned], *, name: str) -> None:
        self._opener = opener
        self._name = name
        self._owned: Owned | None = None
        self._executor: ThreadPoolExecutor | None = None

    async def run(self, work: Callable[[Owned], T]) -> T:
        """Run ``work`` in the thread and return its result, or raise its exception.

        Work that has started is finished even if the caller stops waiting.
        """
        import asyncio

        if self._executor is None:
            from concurrent.futures import ThreadPoolExecutor

            self._executor = ThreadPoolExecutor(1, thread_name_prefix=self._name)
        return await asyncio.get_running_loop().run_in_executor(self._executor, self._work, work)

    def _work(self, work: Callable[[Owned], T]) -> T:
        if self._owned is None:
            self._owned = self._opener()
        return work(self._owned)

    async def aclose(self) -> None:
        """Close the resource once all earlier work is done. Calling this twice is safe."""
        executor, self._executor = self._executor, None
        if executor is None:
            return
        import asyncio

        await asyncio.get_running_loop().run_in_executor(executor, self._close)
        executor.shutdown(wait=False)

    def _close(self) -> None:
        owned, self._owned = self._owned, None
        if owned is not None:
            owned.close()


class OwnFile:
    """Base class for a private file.

    Its methods run in a thread of their own. ``opener`` opens the file on the first call. Several programs can use the
    same file.
    """

    def __init__(self, path: Path, opener: Callable[[], Closable], *, name: str) -> None:
        self.path = path
        self._thread: OwnThread[Any] = OwnThread(opener, name=name)

    @property
    def begun(self) -> bool:
        """Whether the file exists. The file is not opened."""
        return self.path.exists()

    async def aclose(self) -> None:
        """Close the file. Calling this twice is safe. Calling any other method reopens the file."""
        await self._thread.aclose()


F = TypeVar("F", bound=OwnFile)
P = ParamSpec("P")


def in_thread(method: Callable[Concatenate[F, Any, P], T]) -> Callable[Concatenate[F, P], Coroutine[Any, Any, T]]:
    """Decorate a method of an :class:`OwnFile` so that it runs in the file's thread and receives the open file."""

    @wraps(method)
    async def run(self: F, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await self._thread.run(lambda opened: method(self, opened, *args, **kwargs))

    return run


def if_begun(
    empty: Any,
) -> Callable[[Callable[Concatenate[F, Any, P], T]], Callable[Concatenate[F, P], Coroutine[Any, Any, T]]]:
    """Decorate a method as :func:`in_thread` does, but without creating a missing file.

    If the file does not exist, the method returns ``empty``.
    """

    def decorated(method: Callable[Concatenate[F, Any, P], T]) -> Callable[Concatenate[F, P], Coroutine[Any, Any, T]]:
        in_file = in_thread(method)

        @wraps(method)
        async def run(self: F, /, *args: P.args, **kwargs: P.kwargs) -> T:
            found: T = await in_file(self, *args, **kwargs) if self.begun else empty
            return found

        return run

    return decorated

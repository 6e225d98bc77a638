/** Calls `undo` when the process exits before the result is disposed of: what was made must not outlive it. */
export function undoAtExit(undo: () => void): Disposable {
  process.once('exit', undo)
  return { [Symbol.dispose]: () => void process.off('exit', undo) }
}

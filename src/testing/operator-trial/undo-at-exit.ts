/** Signals that end a process without its `exit` event, when nothing listens. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

const undos = new Set<() => void>()

/** Calls `undo` when the process ends before the result is disposed of, also by a signal: what was made must not outlive it. */
export function undoAtExit(undo: () => void): Disposable {
  if (undos.size === 0) {
    process.on('exit', undoAll)
    // First, so that those that listen once are still there.
    for (const signal of SIGNALS) process.prependListener(signal, endBy)
  }
  undos.add(undo)
  return {
    [Symbol.dispose]() {
      if (undos.delete(undo) && undos.size === 0) stopListening()
    },
  }
}

/** Where others listen to a signal, they decide when the process ends. */
function endBy(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1) return
  undoAll()
  process.kill(process.pid, signal)
}

function undoAll(): void {
  stopListening()
  for (const undo of undos) undo()
  undos.clear()
}

function stopListening(): void {
  process.off('exit', undoAll)
  for (const signal of SIGNALS) process.off(signal, endBy)
}

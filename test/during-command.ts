import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'

const main = path.join(import.meta.dirname, '..', 'src', 'cli', 'main.ts')

/** Runs a command of `bowsprit` until the callback is done, and stops it by a signal. Resolves with its exit code. */
export async function duringCommand(words: readonly string[], work: () => Promise<void>): Promise<number | null> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', main, ...words], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = once(child, 'close')
  try {
    await work()
  } finally {
    child.kill('SIGTERM')
    await ended
  }
  return child.exitCode
}

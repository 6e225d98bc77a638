import { readdirSync, readFileSync } from 'node:fs'

/** A program that still runs. */
export interface RunningProgram {
  readonly pid: number
  readonly command: string
}

/**
 * The programs whose environment contains this word, wherever they are in the process tree: a daemon that forks twice or opens a session of
 * its own keeps its environment. Works on Linux alone; elsewhere nothing is found, and only the process group is known.
 */
export function programsWith(word: string): RunningProgram[] {
  return pids().flatMap((pid) => {
    const environment = textOf(pid, 'environ')
    if (pid === process.pid || !environment.includes(word)) return []
    return [{ pid, command: textOf(pid, 'cmdline').replaceAll('\0', ' ').trim() }]
  })
}

/** Ends all of them, and what they start meanwhile. */
export function killAllWith(word: string): void {
  // Each round kills all that exist: a program that forks as fast as that is killed before its next fork in the end.
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const found = programsWith(word)
    if (found.length === 0) return
    for (const { pid } of found)
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // It ended in this moment.
      }
  }
}

const MOST_ROUNDS = 200

function pids(): number[] {
  try {
    return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []))
  } catch {
    return []
  }
}

function textOf(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1')
  } catch {
    return '' // it has ended, or belongs to another user
  }
}

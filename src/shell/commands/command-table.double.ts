import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { systemClock } from '../../base/clock.ts'
import { createContainer } from '../processes/process.double.ts'
import { COMMANDS } from './commands.ts'

/** A script, what it reads, what it prints, and its exit code (0 when it is left out). */
export type CommandRow = readonly [script: string, stdin: string, stdout: string, status?: number]

interface TableOptions {
  /** The files in the working directory. */
  readonly files?: Readonly<Record<string, string>>
  /** The machine's shell that must do the same; `none` for what only we have. */
  readonly machine?: 'sh' | 'bash' | 'none'
}

/** What a script does in a container in memory. */
export async function runScript(script: string, { stdin = '', files = {} }: { stdin?: string; files?: TableOptions['files'] } = {}) {
  const inside = Object.fromEntries(Object.entries({ '.keep': '', ...files }).map(([name, text]) => [`/w/${name}`, text]))
  const container = createContainer({ clock: systemClock, programs: Object.fromEntries(COMMANDS), files: inside })
  const { done, out, err } = container.run(['sh', '-c', `cd /w\n${script}`], { stdin })
  const status = await done
  return { status, out: out(), err: err() }
}

/** One test a row, and one for all of them that runs the machine's own shell and commands. */
export function testCommands(title: string, rows: readonly CommandRow[], { files = {}, machine = 'sh' }: TableOptions = {}): void {
  for (const [script, stdin, out, status = 0] of rows)
    test(`${title}: ${script}`, async () => {
      const ours = await runScript(script, { stdin, files })
      assert.deepEqual({ out: ours.out, status: ours.status }, { out, status }, ours.err)
    })
  if (machine === 'none') return
  test(`${title}: the machine's ${machine} does the same`, () => {
    assert.deepEqual(
      ranByMachine(rows, files, machine),
      rows.map(([script, , out, status = 0]) => ({ script, out, status })),
    )
  })
}

/** All rows in one process of the machine, each in a directory of its own. */
function ranByMachine(rows: readonly CommandRow[], files: NonNullable<TableOptions['files']>, shell: string) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'bowsprit-table-'))
  const at = (i: number, name: string) => path.join(folder, `${i}`, name)
  try {
    for (const [i, [script, stdin]] of rows.entries()) {
      mkdirSync(at(i, 'w'), { recursive: true })
      for (const [name, text] of Object.entries({ ...files, '../script': script, '../in': stdin })) writeFileSync(at(i, `w/${name}`), text)
    }
    const each = `(cd $i/w; ${shell} -c "$(cat ../script)" ${shell} < ../in > ../out 2>/dev/null; echo $? > ../status)`
    const env = { PATH: process.env.PATH, LC_ALL: 'C.UTF-8', HOME: '/root' }
    spawnSync(shell, ['-c', `cd ${folder}; for i in *; do ${each}; done`], { env })
    return rows.map(([script], i) => ({
      script,
      out: readFileSync(at(i, 'out'), 'utf8'),
      status: Number(readFileSync(at(i, 'status'), 'utf8')),
    }))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

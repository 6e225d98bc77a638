import { styleText } from 'node:util'
import { Command } from 'commander'
import { type Check, diagnose } from './diagnosis.ts'
import { readMachine } from './machine-facts.ts'

/** `bowsprit doctor`: exit code 1 where clusters cannot start. */
export function doctorCommand(): Command {
  return new Command('doctor')
    .description('check what this machine has and lacks for clusters, and say how to mend it (exit code 1 if none can start)')
    .action(async () => {
      const checks = diagnose(await readMachine())
      console.log(diagnosisText(checks))
      if (checks.some(({ state }) => state === 'missing')) process.exitCode = 1
    })
}

const SIGNS = { ok: ['green', '✔'], missing: ['red', '✖'], limited: ['yellow', '!'], optional: ['dim', '-'] } as const

/** A line for each check, and one below it with the mend. */
export function diagnosisText(checks: readonly Check[]): string {
  const width = Math.max(...checks.map(({ what }) => what.length))
  return checks
    .flatMap(({ state, what, found, mend }) => {
      const [color, sign] = SIGNS[state]
      const line = `${styleText(color, sign)} ${what.padEnd(width)}  ${found}`
      return mend === undefined ? [line] : [line, styleText('dim', `${' '.repeat(width + 4)}→ ${mend}`)]
    })
    .join('\n')
}

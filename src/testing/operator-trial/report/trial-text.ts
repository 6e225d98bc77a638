import type { OperatorTrialReport, OperatorTrialStep } from '../test-operator.ts'
import { permissionText } from './permissions.ts'

const MARK = { passed: 'ok  ', failed: 'FAIL', skipped: 'skip' } as const

/** One rule as lines for people. */
export function stepText({ rule, outcome, why, tookMs }: OperatorTrialStep): string {
  return `${MARK[outcome]} ${rule} (${(tookMs / 1000).toFixed(1)} s)${why === undefined ? '' : `\n       ${why.replaceAll('\n', '\n       ')}`}`
}

/**
 * The report as lines for people: the rules, the grade, the permissions.
 *
 * ```ts
 * console.log(operatorTrialText(await testOperator({ command: ['./my-operator'], install: [], samples: [gadget] })))
 * ```
 */
export function operatorTrialText(report: OperatorTrialReport): string {
  return [...report.steps.filter(worthTelling).map(stepText), trialEndText(report)].join('\n')
}

/** Rules that could not be tried are not listed; the last line counts them. */
export const worthTelling = ({ outcome }: OperatorTrialStep): boolean => outcome !== 'skipped'

/** The summary after all rules. */
export function trialEndText({ command, steps, grade, permissions }: OperatorTrialReport): string {
  const counts = (outcome: OperatorTrialStep['outcome']) => steps.filter((s) => s.outcome === outcome).length
  const unused = grade === 'F' ? [] : permissions.unused.map(permissionText)
  return [
    '',
    ...(grade === 'F' ? ['nothing else could be tried'] : []),
    `${command}: grade ${grade} (${counts('passed')} passed, ${counts('failed')} failed, ${counts('skipped')} skipped)`,
    ...(unused.length === 0 ? [] : ['', `asked for and not used in this trial: ${unused.join(', ')}`]),
    ...(permissions.used.length === 0 ? [] : ['', '# what it needed', permissions.minimal]),
  ].join('\n')
}

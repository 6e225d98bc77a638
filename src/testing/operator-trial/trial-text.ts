import type { OperatorTrialReport, OperatorTrialStep } from './test-operator.ts'

const MARK = { passed: 'ok  ', failed: 'FAIL', skipped: 'skip' } as const

/** One rule as lines for people. */
export function stepText({ rule, outcome, why, tookMs }: OperatorTrialStep): string {
  return `${MARK[outcome]} ${rule} (${(tookMs / 1000).toFixed(1)} s)${why === undefined ? '' : `\n       ${why}`}`
}

/**
 * The report as lines for people: the rules, the grade, the permissions.
 *
 * ```ts
 * console.log(operatorTrialText(await testOperator({ command: ['./my-operator'], install: [], samples: [gadget] })))
 * ```
 */
export function operatorTrialText(report: OperatorTrialReport): string {
  return [...report.steps.map(stepText), trialEndText(report)].join('\n')
}

/** What is told when all rules have been. */
export function trialEndText({ command, steps, grade, permissions }: OperatorTrialReport): string {
  const counts = (outcome: OperatorTrialStep['outcome']) => steps.filter((s) => s.outcome === outcome).length
  const unused = permissions.unused.map((p) => `${p.verb} ${p.resource}${p.group === '' ? '' : `.${p.group}`}`)
  return [
    '',
    `${command}: grade ${grade} (${counts('passed')} passed, ${counts('failed')} failed, ${counts('skipped')} skipped)`,
    ...(unused.length === 0 ? [] : ['', `asked for and not used in this trial: ${unused.join(', ')}`]),
    '',
    '# what it needed',
    permissions.minimal,
  ].join('\n')
}

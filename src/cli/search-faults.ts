import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { decodeYaml } from '../machinery/yaml/yaml.ts'
import { readAnswers } from '../testing/operator-search/answers/pod-answers.ts'
import { findingText, searchEndText } from '../testing/operator-search/report/search-text.ts'
import { TEST_LANGUAGES, testText } from '../testing/operator-search/report/test-text.ts'
import type { InProcessOperator } from '../testing/operator-search/run/operator-life.ts'
import { type OperatorSearch, type ReplayedFinding, type SearchReport, searchOperator } from '../testing/operator-search/search-operator.ts'
import type { WorkStep } from '../testing/operator-search/work-step.ts'
import { operatorTrialHtml } from '../testing/operator-trial-html.ts'
import { readObjects } from './read-objects.ts'
import { readOptionFile } from './read-option-file.ts'
import { reportFailure } from './report-failure.ts'

/** What is searched, and how. */
export interface SearchFlags {
  /** The operator, if it is a module. */
  readonly module?: string
  readonly webhookPort: number
  readonly inCluster?: string
  readonly age?: number
  readonly install: readonly string[]
  readonly sample: readonly string[]
  readonly step: readonly string[]
  readonly explore?: boolean
  readonly mostFields?: number
  readonly never: readonly string[]
  readonly seed: number
  /** In minutes. */
  readonly timeLimit?: number
  /** In seconds. */
  readonly patience: number
  readonly html?: string
  readonly json?: string
  readonly replay?: string
  readonly answers?: string
  readonly writeTest?: string
}

/** What helps to mend an operator. */
const NEXT =
  'to try only these again: --json report.json, and then --replay report.json; --write-test FILE.go (.ts, .py) writes a test of them'

/** Searches an operator, prints its faults, and sets the exit code. */
export async function searchFaults(command: readonly string[], flags: SearchFlags): Promise<void> {
  try {
    const report = await searchOperator({
      operator: await operatorOf(command, flags),
      install: await readObjects('--install', flags.install),
      samples: await readObjects('--sample', flags.sample),
      ...(flags.step.length > 0 && { steps: await Promise.all(flags.step.map(readStep)) }),
      explore: flags.explore === true,
      ...(flags.mostFields !== undefined && { mostFields: flags.mostFields }),
      never: flags.never,
      seed: flags.seed,
      patienceMs: flags.patience * 1000,
      webhookPort: flags.webhookPort,
      ...(flags.timeLimit !== undefined && { timeLimitMs: flags.timeLimit * 60_000 }),
      ...(flags.age !== undefined && { age: flags.age }),
      ...(flags.answers !== undefined && { answers: await readOptionFile('--answers', flags.answers, readAnswersFile) }),
      ...(flags.replay !== undefined && { replay: await readOptionFile('--replay', flags.replay, readFindings) }),
    })
    for (const finding of report.findings) console.log(findingText(finding))
    console.log(searchEndText(report))
    if (report.findings.length > 0 && flags.json === undefined && flags.replay === undefined) console.log(NEXT)
    if (flags.html !== undefined) writeFileSync(flags.html, operatorTrialHtml(report))
    if (flags.json !== undefined) writeFileSync(flags.json, `${JSON.stringify(report, null, 2)}\n`)
    if (flags.writeTest !== undefined) writeTest(flags.writeTest, { command, flags, report })
    if (report.findings.length > 0) process.exitCode = 1
  } catch (error) {
    reportFailure('test-operator', error, 2)
  }
}

/** A test in the language of the file's name. */
function writeTest(file: string, of: { readonly command: readonly string[]; readonly flags: SearchFlags; readonly report: SearchReport }) {
  const { command, flags, report } = of
  const language = TEST_LANGUAGES.find((end) => file.endsWith(`.${end}`)) ?? 'ts'
  const { install, sample, never, module, answers, webhookPort, inCluster, age } = flags
  const each = (option: string, values: readonly string[]) => values.flatMap((value) => [option, value])
  const words = [
    'test-operator',
    ...(module === undefined ? ['--search'] : ['--module', module]),
    ...each('--install', install),
    ...each('--sample', sample),
    ...each('--never', never),
    ...each('--answers', answers === undefined ? [] : [answers]),
    ...each('--in-cluster', inCluster === undefined ? [] : [inCluster]),
    ...each('--age', age === undefined ? [] : [`1.${age}`]),
    ...(webhookPort === 9443 ? [] : ['--webhook-port', String(webhookPort)]),
  ]
  writeFileSync(file, testText(language, { findings: report.findings, words, command }))
}

/** `FILE` is applied, what is in `delete:FILE` is deleted. */
async function readStep(word: string): Promise<WorkStep> {
  const file = word.replace(/^delete:/, '')
  const objects = await readObjects('--step', [file])
  return word === file ? { name: `apply ${file}`, apply: objects } : { name: `delete ${file}`, remove: objects }
}

/** YAML or JSON. */
const readAnswersFile = (file: string) => readAnswers(decodeYaml(readFileSync(file, 'utf8')).value)

/** The findings of a report that `--json` wrote. */
function readFindings(file: string): readonly ReplayedFinding[] {
  const report = JSON.parse(readFileSync(file, 'utf8')) as { readonly findings?: readonly ReplayedFinding[] }
  if (!Array.isArray(report.findings)) throw new Error('no report of --json')
  return report.findings.filter(({ steps }: ReplayedFinding) => steps.length > 0)
}

async function operatorOf(command: readonly string[], { module, inCluster }: SearchFlags): Promise<OperatorSearch['operator']> {
  if (module !== undefined) return readOptionFile('--module', module, loadOperator)
  if (command.length === 0) throw new Error("missing required argument 'command' (see bowsprit test-operator --help)")
  return { command, ...(inCluster !== undefined && { inCluster }) }
}

async function loadOperator(file: string): Promise<InProcessOperator> {
  const { default: operator } = (await import(pathToFileURL(path.resolve(file)).href)) as { readonly default?: unknown }
  if (typeof operator !== 'function') throw new Error(`its default export is no function (life) => Promise<void>`)
  return operator as InProcessOperator
}

import { writeFileSync } from 'node:fs'
import { Command, InvalidArgumentError } from 'commander'
import { TEST_LANGUAGES } from '../testing/operator-search/report/test-text.ts'
import { stepText, trialEndText, worthTelling } from '../testing/operator-trial/report/trial-text.ts'
import { testOperator } from '../testing/operator-trial/test-operator.ts'
import { operatorTrialHtml } from '../testing/operator-trial-html.ts'
import { checkTogether, type FlagRules, givenTo } from './flags-together.ts'
import { existingFile, kubernetesAge, seconds, several, wholeNumber, word, writableFile } from './option-values.ts'
import { readObjects } from './read-objects.ts'
import { reportFailure } from './report-failure.ts'
import { type SearchFlags, searchFaults } from './search-faults.ts'
import { stopSignal } from './stop-signal.ts'

/** Those of a trial, and those of a search. */
interface TrialFlags extends SearchFlags {
  readonly role: readonly string[]
  readonly quiet: number
  readonly killPoints: number
  readonly only?: RegExp
  readonly search?: boolean
}

const SEARCH: readonly [string, string] = ['search', 'module']
/** A search and a trial have flags of their own. */
const RULES: FlagRules<string> = {
  notTogether: [
    ...['role', 'quiet', 'killPoints', 'only'].flatMap((flag) => SEARCH.map((search) => [flag, search] as const)),
    ['inCluster', 'module'],
  ],
  needed: [
    ...['step', 'explore', 'never', 'answers', 'replay', 'writeTest', 'seed', 'timeLimit'].map((flag) => [flag, ...SEARCH] as const),
    ['mostFields', 'explore'],
  ],
}

/** The exit code of a program that SIGINT has ended. */
const INTERRUPTED = 130

/** `bowsprit test-operator`: runs an operator through typical failures, and grades it. */
export const testOperatorCommand = (): Command =>
  withSearchOptions(withTrialOptions(new Command('test-operator')))
    .passThroughOptions()
    .action(run)

/** Options of a trial; some are those of a search, too. */
const withTrialOptions = (command: Command): Command =>
  command
    .description('test an operator, in any language, on clusters of its own with injected faults, and grade it')
    .argument(
      '[command...]',
      'the operator; {kubeconfig} is replaced by the kubeconfig of its cluster (also in KUBECONFIG), {certs} by a folder with tls.crt and tls.key',
    )
    .option(
      '--install <file>',
      'objects to create before the operator starts: definitions, namespaces, configuration (repeatable)',
      several(existingFile),
      [],
    )
    .option('--sample <file>', 'objects for the operator to reconcile (repeatable)', several(existingFile), [])
    .option(
      '--role <file>',
      'its Roles and ClusterRoles, compared with the permissions that it uses (repeatable)',
      several(existingFile),
      [],
    )
    .option('--html <file>', 'write the report as a web page; that of a trial has a timeline of its requests', writableFile)
    .option('--json <file>', 'write the report as JSON', writableFile)
    .option(
      '--patience <seconds>',
      'the longest time for each step; with --search, how long to wait for timers of the operator before something counts as wrong',
      seconds,
      20,
    )
    .option('--quiet <seconds>', 'an operator that writes nothing for this long counts as finished', seconds, 1)
    .option('--kill-points <n>', 'kill the operator after each of its first N writes', wholeNumber(0, 1000), 10)
    .option('--webhook-port <port>', 'the port of its webhooks; their certificate is in {certs}', wholeNumber(1, 65_535), 9443)
    .option(
      '--in-cluster <namespace>',
      'run the operator as if in a pod of this namespace: with the files of a service account instead of a kubeconfig (Linux)',
      word,
    )
    .option(
      '--age <version>',
      'the Kubernetes version that it was written for (1.20): API versions that were removed since are served',
      kubernetesAge,
    )
    .option(
      '--only <pattern>',
      'check only the rules that match this regular expression, and the first one, which all others need',
      pattern,
    )

/** Options of a search for the points at which a fault matters. */
const withSearchOptions = (command: Command): Command =>
  command
    .option(
      '--module <file>',
      'instead of a command: search an operator that runs in this process, in virtual time; the default export of the module is (life) => Promise',
      existingFile,
    )
    .option('--search', 'instead of grading: search for the points at which a fault matters, in virtual time')
    .option(
      '--step <file>',
      'with --search or --module, a step of the workload: objects to apply, or to delete with `delete:FILE`; the next step waits until nothing changes any more (repeatable)',
      several(word),
      [],
    )
    .option(
      '--explore',
      'with --search or --module, also try workloads made from the schemas of the samples: each field is changed, and changed back',
    )
    .option(
      '--most-fields <n>',
      'with --explore, how many fields of a sample are changed at most: those that it sets, then those nearest to the top (default: 400)',
      wholeNumber(1, 100_000),
    )
    .option(
      '--never <expression>',
      'with --search or --module, what must never be true: a CEL expression over object, oldObject, deleted and objects (repeatable)',
      several(word),
      [],
    )
    .option(
      '--answers <file>',
      'with --search or --module, the responses of pods to exec, HTTP and TCP (docs/test-operator.md)',
      existingFile,
    )
    .option('--replay <file>', 'with --search or --module, try only the findings of a report of --json', existingFile)
    .option(
      '--write-test <file>',
      'with --search or --module, write a test that replays the findings: FILE.go, FILE.ts or FILE.py',
      testFile,
    )
    .option(
      '--time-limit <minutes>',
      'with --search or --module, stop after this time, and report how much was not tried',
      wholeNumber(1, 1440),
    )
    .option('--seed <n>', 'with --search or --module, the same seed gives the same report', wholeNumber(1, 1_000_000), 1)

async function run(command: readonly string[], flags: TrialFlags, self: Command): Promise<void> {
  // A trial may be in the middle of anything: what it made is undone when the process exits.
  void stopSignal().then(() => process.exit(INTERRUPTED))
  try {
    checkTogether(givenTo(self), RULES)
    if (flags.module !== undefined || flags.search === true) await searchFaults(command, flags)
    else await grade(command, flags)
  } catch (error) {
    reportFailure('test-operator', error, 2)
  }
}

async function grade(command: readonly string[], flags: TrialFlags): Promise<void> {
  if (command.length === 0) throw new Error("missing required argument 'command' (see bowsprit test-operator --help)")
  const { install, sample, role, patience, quiet, killPoints, webhookPort, inCluster, age, only, html, json } = flags
  const report = await testOperator({
    command,
    ...(inCluster !== undefined && { inCluster }),
    ...(age !== undefined && { age }),
    install: await readObjects('--install', install),
    samples: await readObjects('--sample', sample),
    roles: (await readObjects('--role', role)).filter((o) => o.kind === 'Role' || o.kind === 'ClusterRole'),
    patienceMs: patience * 1000,
    quietMs: quiet * 1000,
    killPoints,
    webhookPort,
    ...(only && { only }),
    onStep: (step) => worthTelling(step) && console.log(stepText(step)),
  })
  console.log(trialEndText(report))
  if (html !== undefined) writeFileSync(html, operatorTrialHtml(report))
  if (json !== undefined) writeFileSync(json, `${JSON.stringify(report, null, 2)}\n`)
  if (report.grade !== 'A') process.exitCode = 1
}

function testFile(text: string): string {
  if (TEST_LANGUAGES.some((end) => text.endsWith(`.${end}`))) return writableFile(text)
  throw new InvalidArgumentError(`does not end with ${TEST_LANGUAGES.map((end) => `.${end}`).join(', ')}`)
}

function pattern(text: string): RegExp {
  try {
    return new RegExp(word(text))
  } catch (error) {
    if (error instanceof InvalidArgumentError) throw error
    throw new InvalidArgumentError('is no regular expression')
  }
}

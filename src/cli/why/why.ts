import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { systemClock } from '../../base/clock.ts'
import { systemRandom } from '../../base/random.ts'
import { StatusError } from '../../machinery/status-error.ts'
import { SCHEDULING_REPORTS, TOPOLOGY_REPORTS } from '../../resources/bowsprit/report-refs.ts'
import type { SchedulingReport } from '../../resources/bowsprit/scheduling-report.ts'
import { PODS } from '../../resources/refs.ts'
import { readConfiguration } from '../../scheduler/config/configuration.ts'
import { reportFrom } from '../../scheduler/explain/report-from.ts'
import type { Client } from '../../sdk/client/client.ts'
import { createClient } from '../../sdk/client/create-client.ts'
import { httpsTransport } from '../../sdk/client/https.ts'
import { checkTogether, type FlagRules } from '../flags-together.ts'
import { type KubeconfigFlags, kubeconfigOf, withClusterOptions } from '../kubeconfig-file.ts'
import { existingFile, oneOf, shownValue, word } from '../option-values.ts'
import { readOptionFile } from '../read-option-file.ts'
import { reporting, UsageError } from '../report-failure.ts'
import { type Asked, DIAGNOSED, diagnoseOf, eventsOf } from './diagnose.ts'
import { diagnosisText, type Finding, findingsText } from './finding.ts'
import { whyNodeSvg } from './node-svg.ts'
import { whyNodeText } from './node-text.ts'
import { podFindings, simulatedFindings } from './pod-findings.ts'
import { whyText } from './report-text.ts'

interface WhyFlags extends KubeconfigFlags {
  readonly namespace?: string
  readonly config?: string
  readonly node?: boolean
  readonly output?: string
}

/** `bowsprit why KIND NAME`: why a pod is on its node or pending, and what keeps another object from being as it should. */
export function whyCommand(): Command {
  return withClusterOptions(
    new Command('why')
      .description(
        'explain why a pod is on its node, or why it waits and which smallest change would let it run; or what is wrong with another object',
      )
      .argument('<kind>', `pod, ${DIAGNOSED}; or KIND/NAME`, word)
      .argument('[name]', 'the name of the object', word)
      .option('-n, --namespace <name>', 'its namespace (default: that of the context)', word)
      .option('--config <file>', 'the KubeSchedulerConfiguration of a scheduler that runs elsewhere', existingFile)
      .option('--node', 'show the NUMA nodes of the resources of the pod, or why its node rejected it')
      .option('-o, --output <form>', '"json": the whole report; with --node also "svg": a picture of the NUMA nodes', oneOf('json', 'svg')),
  ).action(why)
}

const RULES: FlagRules<keyof WhyFlags> = { notTogether: [['config', 'node']] }

/** Flags that ask about the scheduling or the node of a pod. */
function checkFlags(flags: WhyFlags, ofPod: boolean): void {
  checkTogether((name) => flags[name] !== undefined, RULES)
  if (flags.output === 'svg' && flags.node !== true) throw new UsageError('--output: "svg" needs --node')
  for (const name of ['node', 'config'] as const)
    if (!ofPod && flags[name] !== undefined) throw new UsageError(`--${name} is for pods only`)
}

const why = (kind: string, given: string | undefined, flags: WhyFlags): Promise<void> =>
  reporting('why', async () => {
    const { kind: word, name } = objectOf(kind, given)
    const diagnose = diagnoseOf(word)
    if (diagnose === undefined && !isPod(word)) throw new UsageError(`kind: ${shownValue(word)} is none of pod, ${DIAGNOSED}`)
    checkFlags(flags, isPod(word))
    const schedulerConfig = flags.config === undefined ? undefined : await readOptionFile('--config', flags.config, schedulerConfigIn)
    const config = await kubeconfigOf(flags)
    const namespace = flags.namespace ?? config.namespace ?? 'default'
    await using transport = httpsTransport(config)
    if (flags.node === true) {
      console.log(await askNode(createClient(transport), namespace, name, flags.output))
      return
    }
    const asked = { client: createClient(transport), namespace, name }
    if (diagnose !== undefined) {
      const diagnosis = await diagnose(asked)
      console.log(
        flags.output === 'json' ? JSON.stringify(diagnosis, undefined, 2) : diagnosisText(`${word} ${namespace}/${name}`, diagnosis),
      )
      return
    }
    const report = await ask(asked.client, `${namespace}/${name}`, schedulerConfig)
    if (flags.output === 'json') console.log(JSON.stringify(report, undefined, 2))
    else console.log([...(await stateOf(asked)), whyText(report)].join('\n\n'))
  })

/** The text of a configuration that can be read. */
function schedulerConfigIn(file: string): string {
  const text = readFileSync(file, 'utf8')
  readConfiguration(text)
  return text
}

const isPod = (word: string) => ['pod', 'pods', 'po'].includes(word)

/** `pod web`, or `pod/web`. */
function objectOf(given: string, second: string | undefined): { readonly kind: string; readonly name: string } {
  const [kind = '', name = second] = given.toLowerCase() === given ? given.split('/') : [given]
  if (name === undefined || name === '') throw new UsageError(`name the object: bowsprit why ${kind} NAME`)
  return { kind, name }
}

/** What keeps a pod that has a node from being ready, and what of it is simulated only. */
async function stateOf(asked: Asked): Promise<readonly string[]> {
  const pod = await asked.client.get({ ...PODS, namespace: asked.namespace, name: asked.name })
  if (!pod.spec.nodeName) return []
  const events = await eventsOf(asked, pod)
  const section = (title: string, findings: readonly Finding[]) =>
    findings.length === 0 ? [] : [`${title}\n${findingsText(findings).replaceAll('POD', asked.name)}`]
  return [...section('It is not ready:', podFindings(pod, events)), ...section('It is simulated:', simulatedFindings(events))]
}

/** The report of the pod's node, as text, JSON or SVG. */
async function askNode(client: Client, namespace: string, name: string, output: string | undefined): Promise<string> {
  try {
    const report = await client.get({ ...TOPOLOGY_REPORTS, namespace, name })
    if (output === 'json') return JSON.stringify(report, undefined, 2)
    return output === 'svg' ? whyNodeSvg(report) : whyNodeText(report)
  } catch (error) {
    if (error instanceof StatusError && error.code === 404 && error.status.details?.kind === undefined)
      throw new Error('the nodes of this cluster have no topology report: start it with --kubelet-config or --machine')
    throw error
  }
}

/** Requests the report from the server. If its scheduler runs elsewhere (another process, or not a Bowsprit cluster), computes it here. */
async function ask(client: Client, pod: string, config: string | undefined): Promise<SchedulingReport> {
  const [namespace = '', name = ''] = pod.split('/')
  if (config === undefined) {
    const report = await served(client, namespace, name)
    if (report?.now !== undefined) return report
  }
  const report = await reportFrom(pod, { client, clock: systemClock, random: systemRandom(), config })
  if (report === undefined) throw new Error(`pods ${JSON.stringify(name)} not found in namespace ${namespace}`)
  return report
}

async function served(client: Client, namespace: string, name: string): Promise<SchedulingReport | undefined> {
  try {
    return await client.get({ ...SCHEDULING_REPORTS, namespace, name })
  } catch (error) {
    // No such resource (not a missing pod, which the error would name), or no scheduler in that process.
    if (error instanceof StatusError && ((error.code === 404 && error.status.details?.kind === undefined) || error.code === 503))
      return undefined
    throw error
  }
}

import { byKey, byText } from '../../base/by-text.ts'
import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import { messageOf } from '../../base/message-of.ts'
import { goQuote } from '../../machinery/field-error.ts'
import { parseGoDuration } from '../../machinery/go/go-duration.ts'
import { encodeJson } from '../../machinery/json/strict-json.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { PodInfo } from '../cache/pod-info.ts'
import { EXTENDER } from '../framework/consult.ts'
import {
  type Candidate,
  type ExternalPlugin,
  ExternalPluginError,
  type ExternalScores,
  type ExternalVerdicts,
  type OfferedNode,
} from '../framework/external-plugin.ts'
import type { NodePods } from '../framework/prepared.ts'
import { LONGEST_REASON, shortText } from '../framework/short-text.ts'
import { unresolvable, unschedulable, type Verdict } from '../framework/verdict.ts'
import type { ExtenderConfiguration } from './extender-configuration.ts'
import { ExtenderError } from './extender-error.ts'
import { type FilterResult, readBindingResult, readFilterResult, readPreemptionResult, readPriorities } from './extender-results.ts'
import { extenderTls } from './extender-tls.ts'
import { createHttpCaller, type HttpCaller } from './http-caller.ts'

const DEFAULT_TIMEOUT_MS = 5000
/** Extenders score to 10, plugins to 100. */
const SCORE_FACTOR = 10

export interface ExtenderDeps {
  readonly clock: Clock
  readonly log: Logger
  /** The pods of a node as they are now. */
  readonly podsOn: NodePods
}

export interface Extenders {
  readonly external: readonly ExternalPlugin[]
  close(): void
}

/** The extenders of a configuration; ignorable ones come last, so that they do not affect the results of others. */
export function createExtenders(configurations: readonly ExtenderConfiguration[], deps: ExtenderDeps): Extenders {
  const callers: HttpCaller[] = []
  const extenders = configurations.map((configuration) => {
    const caller = createHttpCaller({
      urlPrefix: configuration.urlPrefix ?? '',
      timeoutMs: parseGoDuration(configuration.httpTimeout ?? '') || DEFAULT_TIMEOUT_MS,
      tls: extenderTls(configuration),
      clock: deps.clock,
    })
    callers.push(caller)
    return { ignorable: configuration.ignorable === true, plugin: extender(configuration, caller, deps) }
  })
  const ordered = [...extenders.filter((e) => !e.ignorable), ...extenders.filter((e) => e.ignorable)]
  return {
    external: ordered.map((e) => e.plugin),
    close() {
      for (const caller of callers) caller.close()
    },
  }
}

/** The resources that the scheduler leaves to extenders. */
export const ignoredResources = (extenders: readonly ExtenderConfiguration[]): readonly string[] => [
  ...new Set(
    extenders.flatMap((e) => (e.managedResources ?? []).flatMap((r) => (r.ignoredByScheduler && r.name !== undefined ? [r.name] : []))),
  ),
]

function extender(configuration: ExtenderConfiguration, caller: HttpCaller, deps: ExtenderDeps): ExternalPlugin {
  const { urlPrefix = '', filterVerb, prioritizeVerb, preemptVerb, bindVerb } = configuration
  const self: Self = { ...configuration, url: urlPrefix, byName: configuration.nodeCacheCapable === true, caller, deps }
  const managed = new Set((configuration.managedResources ?? []).flatMap((r) => r.name ?? []))
  return {
    name: `extender ${urlPrefix}`,
    interestedIn: (pod) => managed.size === 0 || asksForAny(pod, managed),
    ...(filterVerb ? { filter: (pod, nodes) => filter(self, filterVerb, pod, nodes) } : {}),
    ...(prioritizeVerb ? { score: (pod, nodes) => prioritize(self, prioritizeVerb, pod, nodes) } : {}),
    ...(preemptVerb ? { victims: (pod, candidates) => preempt(self, preemptVerb, pod, candidates) } : {}),
    ...(bindVerb ? { bind: (pod, node) => bind(self, bindVerb, pod, node) } : {}),
  }
}

/** An extender's own words may be as long as its answer. */
const reasonOf = (error: unknown): string => shortText(messageOf(error), LONGEST_REASON)

interface Self extends ExtenderConfiguration {
  readonly url: string
  readonly byName: boolean
  readonly caller: HttpCaller
  readonly deps: ExtenderDeps
}

function asksForAny({ pod: { spec } }: PodInfo, managed: ReadonlySet<string>): boolean {
  const names = (list: object | undefined) => Object.keys(list ?? {}).some((name) => managed.has(name))
  return [...spec.containers, ...(spec.initContainers ?? [])].some(
    ({ resources }) => names(resources?.requests) || names(resources?.limits),
  )
}

/** An object as Go writes the bare type: without its kind; pods without their managed fields, which the scheduler's informer drops. */
function bare({ apiVersion: _v, kind: _k, ...rest }: Readonly<KubeObject>, drop: boolean): unknown {
  if (!drop || rest.metadata.managedFields === undefined) return rest
  const { managedFields: _m, ...metadata } = rest.metadata
  return { ...rest, metadata }
}

const podOf = (pod: PodInfo) => bare(pod.pod, true)

const aboutNodes = (self: Self, pod: PodInfo, nodes: readonly OfferedNode[]): unknown => ({
  Pod: podOf(pod),
  Nodes: self.byName ? null : { metadata: {}, items: nodes.map(({ node }) => bare(node, false)) },
  NodeNames: self.byName ? nodes.map(({ name }) => name) : null,
})
async function filter(self: Self, verb: string, pod: PodInfo, nodes: readonly OfferedNode[]): Promise<ExternalVerdicts> {
  try {
    const result = await readFilterResult(await self.caller.post(verb, encodeJson(aboutNodes(self, pod, nodes))))
    if (result.Error) throw new ExtenderError('failed', result.Error)
    return { kept: keptOf(self, result, nodes), verdicts: verdictsOf(result) }
  } catch (error) {
    if (self.ignorable !== true) throw new ExternalPluginError(self.url, reasonOf(error), error)
    self.deps.log.warn('an extender failed and is passed over, for it is ignorable', {
      extender: self.url,
      pod: pod.key,
      error: reasonOf(error),
    })
    return { kept: new Set(nodes.map((n) => n.name)), verdicts: new Map() }
  }
}

function keptOf(self: Self, { NodeNames, Nodes }: FilterResult, nodes: readonly OfferedNode[]): ReadonlySet<string> {
  if (self.byName && NodeNames !== undefined) {
    const requested = new Set(nodes.map((n) => n.name))
    const stranger = NodeNames.find((name) => !requested.has(name))
    if (stranger !== undefined)
      throw new ExtenderError(
        'bad-answer',
        `extender ${goQuote(self.url)} claims a filtered node ${goQuote(stranger)} which is not found in the input node list`,
      )
    return new Set(NodeNames)
  }
  // Kubernetes accepts nodes that the extender invented; only those of the request are accepted here.
  return new Set((Nodes?.items ?? []).map((node) => node.metadata?.name ?? ''))
}

function verdictsOf({ FailedNodes = {}, FailedAndUnresolvableNodes = {} }: FilterResult): ReadonlyMap<string, Verdict> {
  const verdicts = new Map<string, Verdict>()
  for (const [node, reason] of Object.entries(FailedNodes)) verdicts.set(node, unschedulable(EXTENDER, shortText(reason, LONGEST_REASON)))
  for (const [node, reason] of Object.entries(FailedAndUnresolvableNodes))
    verdicts.set(node, unresolvable(EXTENDER, shortText(reason, LONGEST_REASON)))
  return verdicts
}

async function prioritize(self: Self, verb: string, pod: PodInfo, nodes: readonly OfferedNode[]): Promise<ExternalScores> {
  const byNode = new Map<string, number>()
  const shown = new Map<string, number>()
  const offered = new Set(nodes.map(({ name }) => name))
  try {
    for (const { Host = '', Score = 0 } of await readPriorities(await self.caller.post(verb, encodeJson(aboutNodes(self, pod, nodes))))) {
      if (!offered.has(Host)) continue
      shown.set(Host, Score)
      byNode.set(Host, (byNode.get(Host) ?? 0) + Score * (self.weight ?? 0) * SCORE_FACTOR)
    }
    return { byNode, shown }
  } catch (error) {
    self.deps.log.warn('an extender gave no scores', { extender: self.url, pod: pod.key, error: reasonOf(error) })
    return { byNode: new Map() }
  }
}

async function bind(self: Self, verb: string, { pod, namespace, uid, key }: PodInfo, node: string): Promise<boolean> {
  try {
    const body = { PodName: pod.metadata.name ?? '', PodNamespace: namespace, PodUID: uid, Node: node }
    const result = await readBindingResult(await self.caller.post(verb, encodeJson(body)))
    if (result.Error) throw new ExtenderError('failed', result.Error)
    return true
  } catch (error) {
    if (self.ignorable !== true) throw new ExternalPluginError(self.url, reasonOf(error), error)
    self.deps.log.warn('an extender could not bind and is passed over, for it is ignorable', {
      extender: self.url,
      pod: key,
      error: reasonOf(error),
    })
    return false
  }
}

async function preempt(self: Self, verb: string, pod: PodInfo, candidates: readonly Candidate[]): Promise<readonly Candidate[]> {
  try {
    const { NodeNameToMetaVictims = {} } = await readPreemptionResult(
      await self.caller.post(verb, encodeJson(aboutVictims(self, pod, candidates))),
    )
    const answered = Object.entries(NodeNameToMetaVictims).sort(byKey)
    const chosen = answered.map(([node, victims]) => ({
      node,
      victims: victimsOf(self, node, victims?.Pods ?? []),
      violations: victims?.NumPDBViolations ?? 0,
    }))
    const empty = chosen.find(({ victims }) => victims.length === 0)
    if (empty !== undefined && self.ignorable !== true)
      throw new ExtenderError('bad-answer', `expected at least one victim pod on node ${goQuote(empty.node)}`)
    return chosen.filter(({ victims }) => victims.length > 0)
  } catch (error) {
    if (self.ignorable !== true) throw new ExternalPluginError(self.url, reasonOf(error), error)
    self.deps.log.warn('an extender failed at preemption and is passed over, for it is ignorable', {
      extender: self.url,
      pod: pod.key,
      error: reasonOf(error),
    })
    return candidates
  }
}

const aboutVictims = (self: Self, pod: PodInfo, candidates: readonly Candidate[]): unknown => {
  const of = (one: (victim: PodInfo) => unknown): unknown =>
    Object.fromEntries(
      candidates
        .toSorted((a, b) => byText(a.node, b.node))
        .map(({ node, victims, violations }) => [node, { Pods: victims.map(one), NumPDBViolations: violations }]),
    )
  return {
    Pod: podOf(pod),
    NodeNameToVictims: self.byName ? null : of(podOf),
    NodeNameToMetaVictims: self.byName ? of(({ uid }) => ({ UID: uid })) : null,
  }
}

/** @throws {ExtenderError} if the node, or a pod on it, does not exist */
function victimsOf(self: Self, node: string, victims: readonly { readonly UID?: string }[]): readonly PodInfo[] {
  const pods = self.deps.podsOn(node)
  if (pods === undefined) throw new ExtenderError('bad-answer', `nodeinfo not found for node name ${goQuote(node)}`)
  const byUid = new Map([...pods].map((pod) => [pod.uid, pod]))
  return victims.map(({ UID = '' }) => {
    const pod = byUid.get(UID)
    if (pod !== undefined) return pod
    const claim = `extender: ${self.url} claims to preempt pod (UID: &{${UID}}) on node: ${node}`
    throw new ExtenderError('bad-answer', `${claim}, but the pod is not found on that node`)
  })
}

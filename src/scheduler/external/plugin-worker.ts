import { parentPort, workerData } from 'node:worker_threads'
import { messageOf } from '../../base/message-of.ts'
import { registrations } from '../../sdk/scheduler-plugin/algorithm-registry.ts'
import type { PluginNode, PluginTools } from '../../sdk/scheduler-plugin/scheduler-plugin.ts'
import { filter, victims } from './plugin-filter.ts'
import type { PluginParts, PluginQuestion, PluginResponse, PluginWorkerData } from './plugin-protocol.ts'
import { type Registered, registeredPlugin, type WorkerPlugin } from './registered-plugin.ts'

/** The thread of one plugin: loads its module and handles one call after the other. */
const { url, args }: PluginWorkerData = workerData
const port = parentPort
if (port === null) throw new Error('this module runs in a worker')

const tools: PluginTools = { args }
const module = (await import(url)) as { default: WorkerPlugin }
const plugin = args.registered === undefined ? module.default : registeredPlugin(registrations(), args.registered as Registered)
if (typeof plugin !== 'object' || plugin === null) throw new Error('its module has no default export that is a plugin')
port.postMessage({ id: 0, result: partsOf(plugin) } satisfies PluginResponse)

function partsOf(of: WorkerPlugin): PluginParts {
  const names = Object.keys(of)
    .concat(Object.getOwnPropertyNames(Object.getPrototypeOf(of) ?? {}))
    .map((name) => name.replace(/^(filter|score)Nodes$/, '$1'))
  if (of.hints === undefined) return { names }
  const hints = Object.entries(of.hints).map(([event, hint]) => [event, hint === true ? true : 'ask'] as const)
  return { names, hints: Object.fromEntries(hints) }
}

async function answer(question: PluginQuestion): Promise<unknown> {
  const { pod } = question
  switch (question.point) {
    case 'filter':
      return plugin.filterNodes === undefined ? filter(plugin, pod, question.nodes, tools) : plugin.filterNodes(pod, question.nodes, tools)
    case 'score':
      return score(pod, question.nodes)
    case 'victims':
      return Promise.all(question.candidates.map((candidate) => victims(plugin, pod, candidate, tools)))
    case 'postFilter':
      return plugin.postFilter?.(pod, question.nodes, tools)
    case 'hints': {
      const hint = plugin.hints?.[question.event.name]
      return typeof hint === 'function'
        ? Promise.all(question.pods.map((one) => hint(one, question.event, tools)))
        : question.pods.map(() => true)
    }
    case 'preEnqueue':
    case 'sortKey':
      return plugin[question.point]?.(pod, tools)
    case 'permit':
      return plugin.permit?.(pod, question.node, question.waiting, tools)
    default:
      return plugin[question.point]?.(pod, question.node, tools)
  }
}

async function score(pod: PluginQuestion['pod'], nodes: readonly PluginNode[]): Promise<[string, number][]> {
  if (plugin.scoreNodes !== undefined) return plugin.scoreNodes(pod, nodes, tools)
  const scores = new Map<string, number>()
  const state = await plugin.preScore?.(pod, nodes, tools)
  for (const node of nodes) scores.set(node.name, Number(await plugin.score?.(pod, node, { ...tools, state })))
  await plugin.normalizeScores?.(pod, scores, tools)
  return [...scores]
}

port.on('message', (question: PluginQuestion) => {
  answer(question).then(
    (result) => port.postMessage({ id: question.id, result } satisfies PluginResponse),
    (error) => port.postMessage({ id: question.id, error: messageOf(error) } satisfies PluginResponse),
  )
})

import { parentPort, workerData } from 'node:worker_threads'
import { registrations } from '../../sdk/scheduler-plugin/algorithm-registry.ts'
import type { PluginNode } from '../../sdk/scheduler-plugin/scheduler-plugin.ts'
import type { PluginAnswer, PluginQuestion, PluginWorkerData } from './plugin-protocol.ts'
import { type Registered, registeredPlugin, type WorkerPlugin } from './registered-plugin.ts'

/** The thread of one plugin: loads its module and answers one question after the other. */
const { url, args }: PluginWorkerData = workerData
const port = parentPort
if (port === null) throw new Error('this module runs in a worker')

const tools = { args }
const module = (await import(url)) as { default: WorkerPlugin }
const plugin = args.registered === undefined ? module.default : registeredPlugin(registrations(), args.registered as Registered)
if (typeof plugin !== 'object' || plugin === null) throw new Error('its module has no default export that is a plugin')
port.postMessage({
  id: 0,
  result: Object.keys(plugin)
    .concat(Object.getOwnPropertyNames(Object.getPrototypeOf(plugin) ?? {}))
    .map((name) => name.replace(/^(filter|score)Nodes$/, '$1')),
} satisfies PluginAnswer)

async function answer(question: PluginQuestion): Promise<unknown> {
  switch (question.point) {
    case 'filter': {
      if (plugin.filterNodes !== undefined) return plugin.filterNodes(question.pod, question.nodes, tools)
      const verdicts: [string, unknown][] = []
      for (const node of question.nodes) {
        const verdict = await plugin.filter?.(question.pod, node, tools)
        if (verdict !== undefined) verdicts.push([node.name, verdict])
      }
      return verdicts
    }
    case 'score':
      return score(question.pod, question.nodes)
    case 'permit':
      return plugin.permit?.(question.pod, question.node, question.waiting, tools)
    default:
      return plugin[question.point]?.(question.pod, question.node, tools)
  }
}

async function score(pod: PluginQuestion['pod'], nodes: readonly PluginNode[]): Promise<[string, number][]> {
  if (plugin.scoreNodes !== undefined) return plugin.scoreNodes(pod, nodes, tools)
  const scores = new Map<string, number>()
  for (const node of nodes) scores.set(node.name, Number(await plugin.score?.(pod, node, tools)))
  await plugin.normalizeScores?.(pod, scores, tools)
  return [...scores]
}

port.on('message', (question: PluginQuestion) => {
  answer(question).then(
    (result) => port.postMessage({ id: question.id, result } satisfies PluginAnswer),
    (error) => port.postMessage({ id: question.id, error: error instanceof Error ? error.message : String(error) } satisfies PluginAnswer),
  )
})

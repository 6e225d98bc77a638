/** A page of `docs/api`: the exports of an entry point, by what they are for. */
import type { EntryPoint, PublicExport } from './public-api.ts'

/** A group of exports: its title, and the modules that it has, as prefixes of their paths. */
type Task = readonly [title: string, modules: readonly string[]]

/** Exports of small entry points are grouped by what they are; those of the others by task. The first prefix that fits counts. */
const TASKS: Readonly<Record<string, readonly Task[]>> = {
  'bowsprit/sdk': [
    ['Clients', ['sdk/client/', 'machinery/api-call']],
    ['Informers', ['sdk/informer/']],
    ['Kinds and their schemas', ['sdk/kinds/']],
    ['Operators', ['sdk/operator/']],
    ['Queues, events and leader election', ['sdk/controller/']],
    ['Webhooks', ['sdk/webhook/']],
    ['Streams of pods', ['machinery/streams']],
    ['Objects and errors', ['machinery/', 'resources/']],
    ['Time, random numbers and logs', ['base/']],
  ],
  'bowsprit/testing': [
    ['A cluster in a test', ['testing/start-cluster', 'testing/wait-for', 'cluster/', 'storage/', 'machinery/']],
    ['Objects for tests', ['testing/builders', 'testing/test-certificate']],
    ['Programs of containers', ['node/']],
    ['Injected faults', ['testing/faulty-transport']],
    ['Trials of operators', ['testing/operator-trial']],
    ['The search for faults in operators', ['testing/operator-search/']],
    ['Trials of device plugins', ['testing/device-plugin-trial/']],
    ['Time, random numbers and logs', ['base/']],
  ],
}

const KINDS = {
  function: 'Functions',
  class: 'Classes',
  const: 'Values',
  namespace: 'Groups of values',
  interface: 'Interfaces',
  type: 'Types',
}

const NOTE = 'Written by `npm run docs` from the doc comments; change those.'

export function apiPage({ name, about, exports }: EntryPoint): string {
  const tasks = TASKS[name]
  const groups = tasks === undefined ? byKind(exports) : byTask(tasks, exports)
  const index = groups.map(([title, group]) => `- [${title}](#${anchorOf(title)}): ${listed(group)}`).join('\n')
  const sections = groups.map(([title, group]) => [`## ${title}`, ...group.map(described)].join('\n\n'))
  return `${[`# ${name}`, about, NOTE, index, ...sections].join('\n\n')}\n`
}

type Group = readonly [title: string, exports: readonly PublicExport[]]

const byKind = (exports: readonly PublicExport[]): readonly Group[] =>
  Object.entries(KINDS)
    .map(([kind, title]): Group => [title, exports.filter((e) => e.kind === kind)])
    .filter(([, group]) => group.length > 0)

/** What is called comes before types. @throws {Error} for an export that no task has */
function byTask(tasks: readonly Task[], exports: readonly PublicExport[]): readonly Group[] {
  const order = Object.keys(KINDS)
  const sorted = exports.toSorted((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind))
  const groups = Map.groupBy(sorted, ({ name, module }) => {
    const task = tasks.find(([, modules]) => modules.some((prefix) => module.startsWith(prefix)))
    if (task === undefined) throw new Error(`${name} of ${module} has no task: add the module to scripts/api-page.ts`)
    return task
  })
  return tasks.flatMap((task) => [[task[0], groups.get(task) ?? []] satisfies Group])
}

/** What is called, or all if there are types alone. */
function listed(group: readonly PublicExport[]): string {
  const called = group.filter(({ kind }) => kind !== 'interface' && kind !== 'type')
  return (called.length > 0 ? called : group).map(({ name }) => `[\`${name}\`](#${anchorOf(name)})`).join(', ')
}

/** As GitHub and VitePress make it. Of two names that differ in case alone, the one that is called comes first and has it. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w -]/g, '')
    .replaceAll(' ', '-')

const described = ({ name, comment, signature }: PublicExport) => `### ${name}\n\n${prose(comment)}\n\n\`\`\`ts\n${signature}\n\`\`\``

/** `@throws {X} when` as a sentence. */
function prose(comment: string): string {
  return comment.replace(/@throws \{(\w+)\} ?/g, '\nThrows `$1` ')
}

import type { CollectionName } from '../../wire/object-name.ts'
import { isTrails, TRAILS } from './trails.ts'

/** The parts of an object's view. */
export type ObjectTab =
  | 'trail'
  | 'controller'
  | 'machine'
  | 'why'
  | 'bench'
  | 'logs'
  | 'shell'
  | 'attach'
  | 'yaml'
  | 'edit'
  | 'history'
  | 'events'
  | 'relations'

const TABS: readonly ObjectTab[] = ['yaml', 'edit', 'history', 'events', 'relations']
const TRAIL_TABS: readonly ObjectTab[] = ['trail', 'yaml']
const POD_TABS: readonly ObjectTab[] = ['yaml', 'why', 'logs', 'shell', 'attach', ...TABS.slice(1)]
const NODE_TABS: readonly ObjectTab[] = ['yaml', 'machine', ...TABS.slice(1)]
const KIND_TABS: readonly ObjectTab[] = ['yaml', 'bench', ...TABS.slice(1)]
const CONTROLLER_TABS: readonly ObjectTab[] = ['controller', 'yaml']
const REPORT_TABS: readonly ObjectTab[] = ['yaml']

/** What is known of an object at an earlier revision. */
const PAST_TABS: ReadonlySet<ObjectTab> = new Set(['yaml', 'history', 'events', 'relations'])
export const isOfPast = (tab: ObjectTab): boolean => PAST_TABS.has(tab)

/** How a part is called, and the keys that lead to it: those of k9s, where it has them. */
interface TabLabel {
  readonly name: string
  readonly keys: readonly string[]
}

export const TAB_LABELS: Readonly<Record<ObjectTab, TabLabel>> = {
  trail: { name: 'Request', keys: ['t'] },
  controller: { name: 'Controller', keys: ['c'] },
  machine: { name: 'Machine', keys: ['m'] },
  why: { name: 'Why', keys: ['w'] },
  bench: { name: 'Workbench', keys: ['b'] },
  logs: { name: 'Logs', keys: ['l'] },
  shell: { name: 'Shell', keys: ['s'] },
  attach: { name: 'Attach', keys: ['a'] },
  yaml: { name: 'YAML', keys: ['y', 'd'] },
  edit: { name: 'Edit', keys: ['e'] },
  history: { name: 'History', keys: ['h'] },
  events: { name: 'Events', keys: ['v'] },
  relations: { name: 'Relations', keys: ['r', 'J'] },
}

export const isPods = ({ group, resource }: CollectionName): boolean => group === '' && resource === 'pods'

/** The tabs of an object; the first is the one that is opened. */
export function tabsOf(of: CollectionName): readonly ObjectTab[] {
  if (isTrails(of)) return TRAIL_TABS
  if (of.group === TRAILS.group) return of.resource === 'controllerreports' ? CONTROLLER_TABS : REPORT_TABS
  if (of.group !== '') return of.resource === 'customresourcedefinitions' ? KIND_TABS : TABS
  return isPods(of) ? POD_TABS : of.resource === 'nodes' ? NODE_TABS : TABS
}

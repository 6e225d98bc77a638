import type { Plugin } from '../../framework/plugin.ts'
import { unresolvable } from '../../framework/verdict.ts'

const ABSENT: Readonly<Record<string, string>> = {}

/** `labelsPresence`: nodes must have all of the labels, or none of them, whatever their values. */
export function labelsPresence(name: string, { labels, presence }: { labels?: unknown; presence?: unknown }): Plugin {
  const wanted = Array.isArray(labels) ? labels.map(String) : []
  const mismatch = unresolvable(name, "node(s) didn't have the requested labels")
  const passes = (has: Readonly<Record<string, string>>) => wanted.every((label) => Object.hasOwn(has, label) === (presence === true))
  return {
    name,
    scope: 'node',
    filter: (_pod, { table }) => ({ check: (row) => (passes(table.labels[row] ?? ABSENT) ? undefined : mismatch) }),
    hints: {
      'node-added': (_pod, { node }) => node !== undefined && passes(node.metadata.labels ?? ABSENT),
      'node-updated': (_pod, { node }) => node !== undefined && passes(node.metadata.labels ?? ABSENT),
    },
  }
}

/** `labelPreference`: prefers nodes that have the label, or those that do not. */
export function labelPreference(name: string, { label, presence }: { label?: unknown; presence?: unknown }): Plugin {
  return {
    name,
    scope: 'node',
    score: (_pod, { table }) => ({
      of: (row) => (Object.hasOwn(table.labels[row] ?? ABSENT, String(label)) === (presence === true) ? 100 : 0),
    }),
  }
}

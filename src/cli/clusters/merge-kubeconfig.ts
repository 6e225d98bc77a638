import { existsSync, readFileSync, realpathSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { makeFolder } from '../../base/make-folder.ts'
import { replaceFile } from '../../base/replace-file.ts'
import { ConfigError } from '../../cluster/config.ts'
import { isObject } from '../../machinery/object.ts'
import { decodeYaml, encodeYaml } from '../../machinery/yaml/yaml.ts'

type Entry = Readonly<Record<string, unknown>>
type Kubeconfig = Readonly<Record<string, unknown>>

const LISTS = ['clusters', 'users', 'contexts'] as const

/** The kubeconfig that kubectl changes: the first of `$KUBECONFIG`, or `~/.kube/config`. */
export function usersKubeconfig(env: NodeJS.ProcessEnv = process.env, home: string = os.homedir()): string {
  const named = (env.KUBECONFIG ?? '').split(path.delimiter).find((file) => file !== '')
  return named ?? path.join(home, '.kube', 'config')
}

/** Adds the entries of `text` to the file, in place of those of the same names, and makes its context the current one. */
export function mergeKubeconfig(file: string, text: string): void {
  const added = decodeYaml(text).value as Kubeconfig
  change(file, (present) => ({
    apiVersion: 'v1',
    kind: 'Config',
    ...present,
    ...Object.fromEntries(LISTS.map((list) => [list, replaced(entriesOf(present[list]), entriesOf(added[list]))])),
    'current-context': added['current-context'],
  }))
}

/**
 * Removes the entries of this name, if the file has any. If its context was the current one, the only other one of Bowsprit takes its
 * place: `$KUBECONFIG` may be the file of another cluster. Contexts of other programs are never chosen.
 */
export function removeFromKubeconfig(file: string, name: string): void {
  if (!existsSync(file)) return
  const isOther = (entry: Entry) => entry.name !== name
  change(file, (present) => {
    const lists = Object.fromEntries(LISTS.map((list) => [list, entriesOf(present[list])]))
    if (Object.values(lists).every((entries) => entries.every(isOther))) return undefined
    const left = Object.fromEntries(LISTS.map((list) => [list, lists[list]?.filter(isOther)]))
    const [next = '', ...more] = (left.contexts ?? []).map((entry) => String(entry.name)).filter(isOurs)
    return { ...present, ...left, ...(present['current-context'] === name && { 'current-context': more.length === 0 ? next : '' }) }
  })
}

const isOurs = (context: string) => context === 'bowsprit' || context.startsWith('bowsprit-')

const replaced = (present: readonly Entry[], added: readonly Entry[]) => [
  ...present.filter((entry) => !added.some((one) => one.name === entry.name)),
  ...added,
]

const entriesOf = (value: unknown): readonly Entry[] => (Array.isArray(value) ? value.filter(isObject) : [])

/** Writes the file anew in one step, readable by its owner alone. A link stays a link. */
function change(file: string, next: (present: Kubeconfig) => Kubeconfig | undefined): void {
  const target = existsSync(file) ? realpathSync(file) : file
  const present = existsSync(target) ? decodeYaml(readFileSync(target, 'utf8')).value : {}
  if (present !== null && !isObject(present)) throw new ConfigError(`${file} is not a kubeconfig: it is left as it is`)
  const written = next(present ?? {})
  if (written === undefined) return
  makeFolder(path.dirname(target))
  replaceFile(target, encodeYaml(written))
}

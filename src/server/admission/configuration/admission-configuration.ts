import path from 'node:path'
import { API_SERVER_KINDS } from '../../../machinery/api-server-kinds.ts'
import { ConfigurationFileError, decodeConfigurationFile, readTypeMeta, readYaml } from '../../../machinery/configuration-file.ts'
import { goAny, goString, listOf, struct } from '../../../machinery/go/go-type.ts'
import { isObject, type Json } from '../../../machinery/object.ts'
import { PluginConfigurationError } from './plugin-configuration.ts'

/** The source of a plugin's configuration: a section of the common file, or a file of its own. */
export type PluginSource =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'file'; readonly file: string }

const TYPE = (version: string) =>
  struct(`${version}.AdmissionConfiguration`, {
    plugins: listOf(struct(`${version}.AdmissionPluginConfiguration`, { name: goString, path: goString, configuration: goAny })),
  })

const KINDS = {
  types: {
    'apiserver.config.k8s.io/v1 AdmissionConfiguration': TYPE('v1'),
    'apiserver.k8s.io/v1alpha1 AdmissionConfiguration': TYPE('v1alpha1'),
  },
  others: { kinds: API_SERVER_KINDS, says: (kind: string) => `unexpected type: *apiserver.${kind}` },
  strict: true,
}

/** Plugins whose configuration may be the whole file, as before sections were introduced. */
const OLD_SECTIONS: Readonly<Record<string, readonly string[]>> = {
  imagePolicy: ['ImagePolicyWebhook', 'PodNodeSelector'],
  podNodeSelectorPluginConfig: ['ImagePolicyWebhook', 'PodNodeSelector'],
}

interface WrittenPlugin {
  readonly name?: string
  readonly path?: string
  readonly configuration?: Json
}

/** Parses an AdmissionConfiguration: the sources by plugin name. Of duplicate names the first counts. @throws {PluginConfigurationError} */
export function readAdmissionConfiguration(text: string, file: string): ReadonlyMap<string, PluginSource> {
  try {
    const value = readYaml(text).value
    const old = isObject(value) && !isTyped(value) ? oldPlugins(value) : undefined
    if (old !== undefined) return new Map(old.map((name) => [name, { kind: 'file', file }]))
    readTypeMeta(value, text)
    const { plugins = [] } = decodeConfigurationFile(text, KINDS).value as { plugins?: readonly WrittenPlugin[] }
    const sources = new Map<string, PluginSource>()
    for (const plugin of plugins) {
      const source = sourceOf(plugin, file)
      if (!sources.has(plugin.name ?? '')) sources.set(plugin.name ?? '', source)
    }
    return sources
  } catch (error) {
    throw error instanceof ConfigurationFileError ? new PluginConfigurationError(error.message, { cause: error }) : error
  }
}

const isTyped = (value: Readonly<Record<string, unknown>>) => Boolean(value.kind && value.apiVersion)

const oldPlugins = (value: Readonly<Record<string, unknown>>): readonly string[] | undefined =>
  Object.entries(OLD_SECTIONS).find(([section]) => Object.hasOwn(value, section))?.[1]

/** An inline configuration takes precedence over a path; paths are relative to the file's folder. */
function sourceOf(plugin: WrittenPlugin, file: string): PluginSource {
  if (plugin.configuration !== undefined) return { kind: 'text', text: JSON.stringify(plugin.configuration) }
  if (!plugin.path) return { kind: 'nothing' }
  return { kind: 'file', file: path.resolve(path.dirname(file), plugin.path) }
}

import { ignoring } from '../../../machinery/ignoring.ts'
import { notFound } from '../../../machinery/status-error.ts'
import { customColumns } from '../../../resources/apiextensions/custom-columns.ts'
import type { CustomResourceDefinition } from '../../../resources/apiextensions/types.ts'
import { LISTED_REPORTS } from '../../../resources/bowsprit/recorded-reports.ts'
import { builtinResources } from '../../../resources/builtin.ts'
import { CUSTOM_RESOURCE_DEFINITIONS } from '../../../resources/refs.ts'
import type { Client } from '../../../sdk/client/client.ts'
import { createDiscovery, type DiscoveredResource, type Discovery } from '../../../sdk/client/discovery.ts'
import type { CollectionName } from '../../wire/object-name.ts'
import type { KindEntry } from '../../wire/overview.ts'
import { type CellColumn, cellColumns } from '../rows/cell-columns.ts'

/** The kinds that the cluster serves, and their columns. */
export class KindCatalogue {
  readonly #client: Client
  readonly #discovery: Discovery

  constructor(client: Client) {
    this.#client = client
    this.#discovery = createDiscovery(client)
  }

  /** Every kind that can be listed and watched, in its preferred version. */
  async kinds(): Promise<readonly KindEntry[]> {
    const { resources } = await this.#discovery.read()
    return resources
      .filter(({ preferred, verbs, resource }) => preferred && verbs.includes('list') && verbs.includes('watch') && !resource.includes('/'))
      .map(entryOf)
  }

  /** One collection; @throws {StatusError} 404 if the cluster does not serve it. */
  async kind({ group, version, resource }: CollectionName): Promise<KindEntry> {
    const { resources } = await this.#discovery.read()
    const found = resources.find(
      (r) => r.group === group && r.resource === resource && (version === '' ? r.preferred : r.version === version),
    )
    if (found === undefined) throw notFound({ group, resource }, '')
    return entryOf(found)
  }

  async serves({ group, resource }: Pick<CollectionName, 'group' | 'resource'>): Promise<boolean> {
    const { resources } = await this.#discovery.read()
    return resources.some((r) => r.group === group && r.resource === resource)
  }

  /** The columns of its Table: built-in ones are ours; those of custom kinds are in their definitions. */
  async columns(kind: KindEntry): Promise<readonly CellColumn[]> {
    const builtin = KNOWN.find(({ group, names }) => group === kind.group && names.plural === kind.resource)
    const known = builtin?.versions.find(({ version }) => version === kind.version) ?? builtin?.versions[0]
    if (known !== undefined) return cellColumns(known.columns)
    return cellColumns(customColumns(await this.#printerColumns(kind)))
  }

  async #printerColumns({ group, version, resource }: KindEntry) {
    const target = { ...CUSTOM_RESOURCE_DEFINITIONS, name: `${resource}.${group}` }
    // A kind of an aggregated server, or a user who may not read definitions: name and age are columns of every kind.
    const definition = await this.#client.get<CustomResourceDefinition>(target).catch(ignoring())
    return definition?.spec.versions?.find(({ name }) => name === version)?.additionalPrinterColumns
  }
}

/** Kinds whose columns are ours. */
const KNOWN = [...builtinResources(), ...LISTED_REPORTS]

const SHORT_NAMES = new Map(KNOWN.map(({ group, names }) => [`${names.plural}.${group}`, names.shortNames ?? []]))

const entryOf = ({ group, version, resource, kind, namespaced }: DiscoveredResource): KindEntry => ({
  group,
  version,
  resource,
  kind,
  namespaced,
  shortNames: SHORT_NAMES.get(`${resource}.${group}`) ?? [],
})

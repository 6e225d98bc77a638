import { messageOf } from '../../../base/message-of.ts'
import { asKubeObject, type JsonObject } from '../../../machinery/object.ts'
import { isStatus } from '../../../machinery/status-error.ts'
import { encodeYaml } from '../../../machinery/yaml/yaml.ts'
import type { CustomResourceDefinition, DefinitionVersion } from '../../../resources/apiextensions/types.ts'
import { CUSTOM_RESOURCE_DEFINITIONS } from '../../../resources/refs.ts'
import type { Client } from '../../../sdk/client/client.ts'
import type { DraftFault } from '../../wire/draft-page.ts'
import { shownText } from '../../wire/shown-text.ts'
import { EDITOR } from '../edit/check-draft.ts'
import { readText } from '../edit/draft-faults.ts'

/** A definition with the schema that was typed for one of its versions. */
export interface TypedSchema {
  readonly definition: CustomResourceDefinition
  readonly version: DefinitionVersion
  readonly text: string
  /** Why the server would refuse the definition with it. */
  readonly faults: readonly DraftFault[]
}

/** Takes a schema in place of the version's own; `''`: its own. A dry run finds its faults. */
export async function withTypedSchema(
  client: Client,
  of: { readonly definition: CustomResourceDefinition; readonly version: DefinitionVersion; readonly text: string },
  signal: AbortSignal,
): Promise<TypedSchema> {
  const { definition, version, text } = of
  const own = version.schema?.openAPIV3Schema ?? {}
  if (text === '') return { definition, version, text: encodeYaml(own as unknown as JsonObject), faults: [] }
  const typed = readText(text)
  if (typed.kind === 'faulty') return { definition, version, text, faults: typed.faults }
  const changed: DefinitionVersion = { ...version, schema: { openAPIV3Schema: typed.object } }
  const versions = (definition.spec.versions ?? []).map((each) => (each.name === version.name ? changed : each))
  const next: CustomResourceDefinition = { ...definition, spec: { ...definition.spec, versions } }
  try {
    const target = { ...CUSTOM_RESOURCE_DEFINITIONS, name: definition.metadata.name ?? '' }
    await client.update(target, asKubeObject(next as unknown as JsonObject), { dryRun: true, fieldManager: EDITOR, signal })
    return { definition: next, version: changed, text, faults: [] }
  } catch (error) {
    signal.throwIfAborted()
    return { definition, version, text, faults: schemaFaults(error) }
  }
}

/** Where the schema is in the definition. */
const PREFIX = /spec\.(versions\[\d+\]|validation)\.(schema\.)?openAPIV3Schema\.?/g

function schemaFaults(error: unknown): readonly DraftFault[] {
  const causes = isStatus(error) ? (error.status.details?.causes ?? []) : []
  const messages = causes.length === 0 ? [messageOf(error)] : causes.map(({ field, message }) => `${field}: ${message}`)
  return messages.map((message) => ({ line: 0, message: shownText(message.replaceAll(PREFIX, '')) }))
}

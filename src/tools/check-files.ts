import { atOnce } from '../base/steps.ts'
import type { FieldError } from '../machinery/field-error.ts'
import { asJson, asKubeObject, isObject, type KubeObject } from '../machinery/object.ts'
import { applyDefaultsAtOnce } from '../machinery/resource/apply-defaults.ts'
import { OFFLINE_CONTEXT } from '../machinery/resource/offline-context.ts'
import { DecodeError, decodeObject } from '../machinery/schema/decode.ts'

import { validateObjectMeta } from '../machinery/validation/object-meta.ts'
import { nameRule } from '../machinery/validation/object-name.ts'
import { lineMap, splitDocuments } from '../machinery/yaml/line-map.ts'
import { decodeYaml, YamlError } from '../machinery/yaml/yaml.ts'
import { customResourceDefinitions } from '../resources/apiextensions/customresourcedefinitions.ts'
import type { CustomResourceDefinition } from '../resources/apiextensions/types.ts'
import { builtinSchema } from '../resources/schema.ts'
import { customDecoder } from '../server/custom/custom-decoder.ts'
import { schemaOf } from '../server/custom/custom-definition.ts'
import { validateObject } from '../server/custom/custom-rules.ts'

/** A file that is checked. */
export interface CheckedFile {
  readonly name: string
  readonly text: string
}

/** An error, with its position. */
export interface Finding {
  readonly file: string
  readonly line: number
  readonly level: 'error' | 'warning'
  readonly message: string
}

export interface CheckReport {
  readonly findings: readonly Finding[]
  /** What was checked: `shirts.stable.example.com`, `Shirt example1`. */
  readonly checked: readonly string[]
  /** The objects as a server would store them. */
  readonly objects: readonly KubeObject[]
}

const definitionSchema = builtinSchema('apiextensions.k8s.io', 'v1', 'CustomResourceDefinition')

/**
 * Checks CustomResourceDefinitions and objects of them as a server would, without one: structural rules, pruning, defaults, schema, rules
 * with their costs. Definitions may be in any of the files. `old`: files with the objects as they are now; what was wrong before is not
 * held against the new.
 */
export function checkFiles(files: readonly CheckedFile[], old: readonly CheckedFile[] = []): CheckReport {
  const findings: Finding[] = []
  const documents = files.flatMap((file) => documentsOf(file, findings))
  const before = old.flatMap((file) => documentsOf(file, findings))
  const definitions: CustomResourceDefinition[] = []
  const checked: string[] = []
  const objects: KubeObject[] = []
  for (const document of documents) {
    if (document.object.kind !== 'CustomResourceDefinition') continue
    checked.push(`CustomResourceDefinition ${document.object.metadata?.name ?? ''}`)
    const crd = checkDefinition(document, findings)
    if (crd !== undefined) definitions.push(crd)
  }
  for (const document of documents) {
    const { object } = document
    if (object.kind === 'CustomResourceDefinition') continue
    checked.push(`${object.kind ?? '(no kind)'} ${object.metadata?.name ?? ''}`)
    const same = before.find((b) => b.object.kind === object.kind && b.object.metadata?.name === object.metadata?.name)
    const made = checkObject(document, definitions, same?.object, findings)
    if (made !== undefined) objects.push(made)
  }
  return { findings, checked, objects }
}

interface Parsed {
  readonly object: KubeObject
  readonly tell: (field: string, message: string, level?: Finding['level']) => Finding
}

function documentsOf(file: CheckedFile, findings: Finding[]): Parsed[] {
  const parsed: Parsed[] = []
  for (const document of splitDocuments(file.text)) {
    try {
      const { value, strictError } = decodeYaml(document.text)
      const places = lineMap(document)
      const tell: Parsed['tell'] = (field, message, level = 'error') => ({
        file: file.name,
        line: places.lineOf(field),
        level,
        message: field === '' || field === '<nil>' ? message : `${field}: ${message}`,
      })
      if (strictError !== '') findings.push(tell('', strictError.replace(/\n */g, ' '), 'warning'))
      if (isObject(value)) parsed.push({ object: asKubeObject(value), tell })
      else findings.push(tell('', 'this is no object'))
    } catch (error) {
      if (!(error instanceof YamlError)) throw error
      const line = /line (\d+)/.exec(error.message)?.[1]
      findings.push({
        file: file.name,
        line: document.firstLine + (line === undefined ? 0 : Number(line) - 1),
        level: 'error',
        message: error.message,
      })
    }
  }
  return parsed
}

function checkDefinition({ object, tell }: Parsed, findings: Finding[]): CustomResourceDefinition | undefined {
  try {
    const { object: decoded, warnings } = decodeObject(definitionSchema(), asJson(object), { fieldValidation: 'Warn' })
    for (const text of warnings) findings.push(tell(/"(.*)"/.exec(text)?.[1] ?? '', text, 'warning'))
    const crd = asKubeObject(decoded) as CustomResourceDefinition
    crd.metadata ??= {}
    const { rules } = customResourceDefinitions
    applyDefaultsAtOnce(rules, crd)
    rules.prepareForCreate?.(crd, OFFLINE_CONTEXT)
    const faults = [
      ...validateObjectMeta(crd.metadata, { namespaced: false, validateName: nameRule(rules, crd) }),
      ...(rules.validateInSteps === undefined ? [] : atOnce(rules.validateInSteps(crd, undefined, OFFLINE_CONTEXT))),
    ]
    for (const fault of distinct(faults)) findings.push(tell(placeInDefinition(fault.field, crd), fault.message))
    for (const text of rules.warnings?.(crd, undefined, OFFLINE_CONTEXT) ?? []) findings.push(tell('', text, 'warning'))
    return faults.length === 0 ? crd : undefined
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    findings.push(tell('', error.message))
    return undefined
  }
}

const distinct = (faults: readonly FieldError[]) => [...new Map(faults.map((f) => [`${f.field} ${f.message}`, f])).values()]

/** Kubernetes reports the path in its internal version; in the file the field is below its version. */
function placeInDefinition(field: string, crd: CustomResourceDefinition): string {
  const first = (crd.spec?.versions ?? []).length > 0 ? 'spec.versions[0]' : 'spec.versions'
  return field
    .replace(/^spec\.validation\.openAPIV3Schema/, `${first}.schema.openAPIV3Schema`)
    .replace(/^spec\.(subresources|additionalPrinterColumns|selectableFields)/, `${first}.$1`)
    .replace(/^spec\.conversion\.webhookClientConfig/, 'spec.conversion.webhook.clientConfig')
    .replace(/^spec\.conversion\.conversionReviewVersions/, 'spec.conversion.webhook.conversionReviewVersions')
}

function whyUnknown({ kind, apiVersion }: KubeObject): string {
  if (!kind) return 'it has no `kind`: not a Kubernetes object'
  if (!apiVersion) return `${kind} has no \`apiVersion\``
  return `no sound definition in these files has the kind ${kind} in version ${apiVersion}`
}

function checkObject(
  { object, tell }: Parsed,
  definitions: readonly CustomResourceDefinition[],
  old: KubeObject | undefined,
  findings: Finding[],
): KubeObject | undefined {
  const crd = definitions.find((d) => d.spec.names.kind === object.kind && `${object.apiVersion}`.startsWith(`${d.spec.group}/`))
  const version = crd?.spec.versions?.find((v) => object.apiVersion === `${crd.spec.group}/${v.name}`)
  if (crd === undefined || version === undefined) {
    findings.push(tell('kind', whyUnknown(object)))
    return undefined
  }
  try {
    const decode = customDecoder(schemaOf(version), crd.spec.preserveUnknownFields === true)
    const { object: decoded, warnings } = decode(asJson(object), { fieldValidation: 'Warn' })
    for (const text of warnings) findings.push(tell(/"(.*)"/.exec(text)?.[1] ?? '', text, 'warning'))
    const made = asKubeObject(decoded)
    const before = old === undefined ? undefined : asKubeObject(decode(asJson(old), {}).object)
    const namespaced = crd.spec.scope === 'Namespaced'
    const metadata = namespaced ? { ...made.metadata, namespace: made.metadata?.namespace ?? 'default' } : (made.metadata ?? {})
    const ruled = { name: version.name, schema: schemaOf(version), subresources: version.subresources }
    const faults = [...validateObjectMeta(metadata, { namespaced }), ...validateObject(ruled, made, before)]
    for (const fault of distinct(faults)) findings.push(tell(fault.field, fault.message))
    return made
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    findings.push(tell('', error.message))
    return undefined
  }
}

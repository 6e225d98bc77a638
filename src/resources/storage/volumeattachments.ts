import { semanticEqual } from '../../machinery/equal.ts'
import { child, type FieldError, forbidden, invalid, required, tooLong } from '../../machinery/field-error.ts'
import { dns1123Subdomain } from '../../machinery/names.ts'
import { invalidEach } from '../checks.ts'
import { validateInlineVolume } from '../core/volumes/inline-volume.ts'
import { defaultVolumeSource } from '../core/volumes/volume-sources.ts'
import { AGE, define, NAME } from '../define.ts'
import { fieldSchema, goForm } from '../go-form.ts'
import { validateCsiDriverName } from '../pod/validation/validate-volumes.ts'
import { builtinSchema } from '../schema.ts'
import { metadataKept } from '../status-meta.ts'
import type * as storage from '../types/storage.ts'
import type { UncheckedObject } from '../unchecked.ts'

type VolumeAttachment = UncheckedObject<storage.VolumeAttachment>

const schema = builtinSchema('storage.k8s.io', 'v1', 'VolumeAttachment')

export const volumeAttachments = define<VolumeAttachment>({
  group: 'storage.k8s.io',
  kind: 'VolumeAttachment',
  plural: 'volumeattachments',
  singular: 'volumeattachment',
  scope: 'Cluster',
  metadataChecks: 'whole',
  columns: [
    NAME,
    { name: 'Attacher', describes: 'spec.attacher', format: 'name', cell: (o) => o.spec?.attacher ?? '' },
    { name: 'PV', describes: 'spec.source', cell: (o) => o.spec?.source?.persistentVolumeName ?? '' },
    { name: 'Node', describes: 'spec.nodeName', cell: (o) => o.spec?.nodeName ?? '' },
    { name: 'Attached', type: 'boolean', describes: 'status.attached', cell: (o) => o.status?.attached ?? false },
    AGE,
  ],
  rules: {
    returnsDeleted: true,
    allowUnconditionalUpdate: false,
    defaults: ({ spec }) => {
      const inline = spec?.source?.inlineVolumeSpec
      if (inline) defaultVolumeSource(inline)
    },
    prepareForCreate: (draft) => {
      draft.status = { attached: false }
    },
    validateCreate: validateWhole,
    // Attachers that were stored before their form was checked may stay.
    validateUpdate: (object, old) => [
      ...(object.spec?.attacher === old.spec?.attacher ? validate(object) : validateWhole(object)),
      ...validateChange(object, old),
    ],
  },
  subresources: { status: { kind: 'status', rules: metadataKept } },
})

const isFormFault = (fault: FieldError) => fault.type === 'FieldValueInvalid' || fault.type === 'FieldValueTooLong'
const MAX_METADATA_BYTES = 256 * 1024
const MAX_MESSAGE_BYTES = 1024

function validateWhole(object: VolumeAttachment): FieldError[] {
  return [...validate(object), ...validateCsiDriverName(object.spec?.attacher ?? '', child('spec', 'attacher')).filter(isFormFault)]
}

function validate(object: VolumeAttachment): FieldError[] {
  const spec = object.spec ?? {}
  const faults: FieldError[] = []
  if (!spec.attacher) faults.push(required(child('spec', 'attacher')))
  faults.push(...validateSource(spec.source ?? {}))
  faults.push(...invalidEach(child('spec', 'nodeName'), spec.nodeName ?? '', dns1123Subdomain(spec.nodeName ?? '')))
  const metadata: Record<string, string> = object.status?.attachmentMetadata ?? {}
  const bytes = Object.entries(metadata).reduce((n, [k, v]) => n + Buffer.byteLength(k) + Buffer.byteLength(v), 0)
  if (bytes > MAX_METADATA_BYTES) faults.push(tooLong(child('status', 'attachmentMetadata'), MAX_METADATA_BYTES))
  for (const name of ['attachError', 'detachError'] as const)
    if (Buffer.byteLength(object.status?.[name]?.message ?? '') > MAX_MESSAGE_BYTES)
      // Kubernetes names the limit of the metadata.
      faults.push(tooLong(child('status', name, 'message'), MAX_METADATA_BYTES))
  return faults
}

function validateSource(source: { inlineVolumeSpec?: object; persistentVolumeName?: string }): FieldError[] {
  const path = child('spec', 'source')
  const { inlineVolumeSpec: inline, persistentVolumeName: name } = source
  if (inline === undefined && name === undefined)
    return [required(path, 'must specify exactly one of inlineVolumeSpec and persistentVolumeName')]
  const at = child(path, 'persistentVolumeName')
  if (inline !== undefined && name !== undefined)
    return [
      forbidden(path, 'must specify exactly one of inlineVolumeSpec and persistentVolumeName'),
      ...invalidEach(at, name, dns1123Subdomain(name)),
    ]
  if (name === '') return [required(at, 'must specify non empty persistentVolumeName'), ...invalidEach(at, name, dns1123Subdomain(name))]
  if (name !== undefined) return invalidEach(at, name, dns1123Subdomain(name))
  return inline === undefined ? [] : validateInlineVolume(inline, child(path, 'inlineVolumeSpec'))
}

function validateChange(object: VolumeAttachment, old: VolumeAttachment): FieldError[] {
  if (semanticEqual(object.spec, old.spec)) return []
  return [invalid('spec', goForm(object.spec, fieldSchema(schema(), 'spec')), 'field is immutable')]
}

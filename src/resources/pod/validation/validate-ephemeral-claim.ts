import { child, type FieldError, required } from '../../../machinery/field-error.ts'
import { validateTemplateMetadata } from '../../template-metadata.ts'
import type * as core from '../../types/core.ts'
import type { Unchecked } from '../../unchecked.ts'
import { validateClaimSpec, validateSourceGroups } from './validate-claim-spec.ts'

type ClaimTemplate = Unchecked<core.PersistentVolumeClaimTemplate>

/** Validates the claim template of an ephemeral volume. */
export function validateEphemeralClaim(template: ClaimTemplate | undefined, path: string): FieldError[] {
  if (!template) return [required(path)]
  const spec = template.spec ?? {}
  return [
    ...validateTemplateMetadata(template.metadata, child(path, 'metadata')),
    ...validateClaimSpec(spec, child(path, 'spec')),
    ...validateSourceGroups(spec, child(path, 'spec')),
  ]
}

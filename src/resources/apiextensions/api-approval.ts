import { type FieldError, goQuote, invalid, key, required } from '../../machinery/field-error.ts'
import { parseUrl } from '../../machinery/structural/url-syntax.ts'
import type { CustomResourceDefinition } from './types.ts'

const ANNOTATION = 'api-approved.kubernetes.io'

export interface Approval {
  readonly state: 'approved' | 'bypassed' | 'invalid' | 'missing'
  readonly text: string
}

/** True for groups that belong to the Kubernetes community. */
export function isProtectedGroup(group: string): boolean {
  return group === 'k8s.io' || group === 'kubernetes.io' || group.endsWith('.k8s.io') || group.endsWith('.kubernetes.io')
}

/** The API approval annotation of a definition in a protected group. */
export function approvalOf(annotations: Readonly<Record<string, string>> | undefined): Approval {
  const annotation = annotations !== undefined && Object.hasOwn(annotations, ANNOTATION) ? (annotations[ANNOTATION] ?? '') : ''
  if (annotation === '') {
    const text = `protected groups must have approval annotation "${ANNOTATION}", see https://github.com/kubernetes/enhancements/pull/1111`
    return { state: 'missing', text }
  }
  if (annotation.startsWith('unapproved')) return { state: 'bypassed', text: `not approved: ${goQuote(annotation)}` }
  if (parseUrl(annotation) && /^[a-zA-Z][a-zA-Z0-9+.-]*:\/\/[^/?#]/.test(annotation))
    return { state: 'approved', text: `approved in ${annotation}` }
  const text = `protected groups must have approval annotation "${ANNOTATION}" with either a URL or a reason starting with "unapproved", see https://github.com/kubernetes/enhancements/pull/1111`
  return { state: 'invalid', text }
}

/** Faults of the approval of a definition; values unchanged since `old` are accepted. */
export function checkApproval(crd: CustomResourceDefinition, old: CustomResourceDefinition | undefined): FieldError[] {
  if (!isProtectedGroup(crd.spec.group ?? '')) return []
  const approval = approvalOf(crd.metadata.annotations)
  if (old !== undefined && approvalOf(old.metadata.annotations).state === approval.state) return []
  const path = key('metadata.annotations', ANNOTATION)
  if (approval.state === 'invalid') return [invalid(path, crd.metadata.annotations?.[ANNOTATION], approval.text)]
  return approval.state === 'missing' ? [required(path, approval.text)] : []
}

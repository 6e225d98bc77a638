import { child, duplicate, type FieldError, index, invalid, notSupported, required, tooLong } from '../field-error.ts'
import { patternText } from '../names.ts'
import { faultsOfEach } from './faults-of-each.ts'
import { validateLabelName } from './object-meta.ts'

/** `meta.k8s.io/v1 Condition`, not validated yet. */
interface Condition {
  readonly type?: string
  readonly status?: string
  readonly observedGeneration?: number
  readonly lastTransitionTime?: string | null
  readonly reason?: string
  readonly message?: string
}

const reasonText = '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?'
const reasonPattern = /^[A-Za-z](?:[A-Za-z0-9_,:]*[A-Za-z0-9_])?$/
const reasonRule =
  "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_'"

/** Validates a list of conditions; each type occurs once. */
export function validateConditions(conditions: readonly Condition[] | undefined | null, path: string): FieldError[] {
  const seen = new Set<string>()
  return faultsOfEach(conditions, (condition, i) => {
    const found: FieldError[] = []
    const at = index(path, i)
    const type = condition.type ?? ''
    if (seen.has(type)) found.push(duplicate(child(at, 'type'), type))
    seen.add(type)
    found.push(...validateCondition(condition, at))
    return found
  })
}

export function validateCondition(condition: Condition, path: string): FieldError[] {
  const faults = validateLabelName(condition.type ?? '', child(path, 'type'))
  const status = condition.status ?? ''
  if (!['True', 'False', 'Unknown'].includes(status)) faults.push(notSupported(child(path, 'status'), status, ['False', 'True', 'Unknown']))
  if ((condition.observedGeneration ?? 0) < 0)
    faults.push(invalid(child(path, 'observedGeneration'), condition.observedGeneration, 'must be greater than or equal to zero'))
  if (!condition.lastTransitionTime) faults.push(required(child(path, 'lastTransitionTime')))
  const reason = condition.reason ?? ''
  if (reason === '') faults.push(required(child(path, 'reason')))
  else {
    if (!reasonPattern.test(reason))
      faults.push(
        invalid(
          child(path, 'reason'),
          reason,
          patternText(reasonRule, reasonText, 'my_name', 'MY_NAME', 'MyName', 'ReasonA,ReasonB', 'ReasonA:ReasonB'),
        ),
      )
    if (Buffer.byteLength(reason) > 1024) faults.push(tooLong(child(path, 'reason'), 1024))
  }
  if (Buffer.byteLength(condition.message ?? '') > 32 * 1024) faults.push(tooLong(child(path, 'message'), 32 * 1024))
  return faults
}

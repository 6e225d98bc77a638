import { goQuote } from '../../machinery/field-error.ts'
import { pathSegmentName } from '../../machinery/names.ts'

/** The error with which client-go refuses to read an object of such a name. */
export function unreadableName(name: string): string | undefined {
  if (name === '') return 'resource name may not be empty'
  const faults = pathSegmentName(name)
  return faults.length === 0 ? undefined : `invalid resource name ${goQuote(name)}: [${faults.join(' ')}]`
}

import type { Library } from '../environment.ts'
import { STANDARD_MACROS } from '../macros.ts'
import { INT } from '../types.ts'
import { CONVERSIONS } from './conversions.ts'
import { STANDARD_COSTS } from './costs.ts'
import { wellKnownMessage } from './messages.ts'
import { OPERATORS } from './operators.ts'
import { STRINGS } from './strings.ts'
import { TIME_FUNCTIONS } from './time.ts'

/** The language itself: operators, macros, conversions, strings, time, messages. */
export const STANDARD: readonly Library[] = [
  { macros: STANDARD_MACROS, message: wellKnownMessage, constants: { 'google.protobuf.NullValue.NULL_VALUE': { type: INT, value: 0n } } },
  OPERATORS,
  CONVERSIONS,
  STRINGS,
  TIME_FUNCTIONS,
  STANDARD_COSTS,
]

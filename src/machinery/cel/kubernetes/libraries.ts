import type { Library } from '../environment.ts'
import { EXTENSION_COSTS } from '../libraries/costs.ts'
import { LIST_EXTENSION, LISTS, SETS } from '../libraries/lists.ts'
import { OPTIONALS } from '../libraries/optional.ts'
import { STRING_EXTENSION } from '../libraries/strings.ts'
import { TWO_VARIABLE_MACROS } from '../macros.ts'
import { STANDARD } from '../standard/standard.ts'
import { KUBERNETES_COSTS } from './costs.ts'
import { NAMED_FORMATS } from './format.ts'
import { NETWORK } from './network.ts'
import { QUANTITIES } from './quantity.ts'
import { REGEX } from './regex.ts'
import { SEMVERS } from './semver.ts'
import { URLS } from './url.ts'

/** In Kubernetes the elements of a list literal have one type. */
const HOMOGENEOUS: Library = { sameTypes: true }

/** Kubernetes uses version 2 of the strings library, which lacks some functions. */
function without(library: Library, name: string): Library {
  const { [name]: _, ...functions } = library.functions ?? {}
  return { ...library, functions }
}

/** The libraries of Kubernetes 1.36 for expressions in CustomResourceDefinitions and policies. */
export const KUBERNETES_LIBRARIES: readonly Library[] = [
  ...STANDARD,
  { macros: TWO_VARIABLE_MACROS },
  OPTIONALS,
  without(STRING_EXTENSION, 'reverse'),
  LISTS,
  LIST_EXTENSION,
  SETS,
  REGEX,
  URLS,
  NETWORK,
  QUANTITIES,
  SEMVERS,
  NAMED_FORMATS,
  HOMOGENEOUS,
  EXTENSION_COSTS,
  KUBERNETES_COSTS,
]

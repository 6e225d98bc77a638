import { sentJson } from '../machinery/json/sent-json.ts'
import { type Keeper, keptBy } from '../machinery/kept.ts'
import type { KubeObject } from '../machinery/object.ts'

/** An object as the JSON that came for it: a tenth of the memory, for whoever needs the object seldom. */
class KeptText implements Keeper {
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  get object(): Readonly<KubeObject> {
    return sentJson(this.#text) as KubeObject
  }
}

/** Decodes an object, and keeps its text for as long as the object is wanted. */
export function keptObject(text: string): KubeObject {
  const object = sentJson(text) as KubeObject
  keptBy(object, new KeptText(text))
  return object
}

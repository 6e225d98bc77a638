import { compileLabelSelector, type LabelSelector } from '../../machinery/selectors/label-selector.ts'

/** For a query; without a selector nothing is asked. */
export const selectorText = (selector: LabelSelector | undefined): string =>
  selector === undefined ? '' : compileLabelSelector(selector).toString()

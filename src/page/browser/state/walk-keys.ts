import { bindKeys } from './keyboard.ts'

/** So much of the visible part is scrolled by a key of a line, and of a page. */
const LINE_PX = 60
const PAGE_SHARE = 0.9

const isScrolled = (element: Element): boolean =>
  element.scrollHeight > element.clientHeight + 1 && /auto|scroll/.test(getComputedStyle(element).overflowY)

/** The part with more than fits: the one that has the focus, or the first of the view. */
function scrolledArea(): Element | undefined {
  for (let element = document.activeElement; element !== null; element = element.parentElement) if (isScrolled(element)) return element
  return [...document.querySelectorAll('main *')].find(isScrolled)
}

const scroll = (pixels: (area: Element) => number) => () => {
  const area = scrolledArea()
  area?.scrollBy(0, pixels(area))
}

/** Binds k9s' keys of texts until the returned function is called: they scroll the view. */
export const bindScrollKeys = (): (() => void) =>
  bindKeys([
    { keys: ['j', 'ArrowDown'], what: 'scroll down', run: scroll(() => LINE_PX) },
    { keys: ['k', 'ArrowUp'], what: 'scroll up', run: scroll(() => -LINE_PX) },
    { keys: ['PageDown'], what: 'a page down', run: scroll(({ clientHeight }) => PAGE_SHARE * clientHeight) },
    { keys: ['PageUp'], what: 'a page up', run: scroll(({ clientHeight }) => -PAGE_SHARE * clientHeight) },
    { keys: ['g', 'Home'], what: 'to the beginning', run: scroll(({ scrollHeight }) => -scrollHeight) },
    { keys: ['G', 'End'], what: 'to the end', run: scroll(({ scrollHeight }) => scrollHeight) },
  ])

const focusLink = (index: (at: number, last: number) => number) => () => {
  const links = [...document.querySelectorAll<HTMLElement>('main li a')]
  const last = links.length - 1
  // Before the first, if the focus is elsewhere.
  const at = links.findIndex((link) => link.matches(':focus'))
  links[Math.max(0, Math.min(last, index(at, last)))]?.focus()
}

/** Binds k9s' keys of rows to the links of a view of lists, until the returned function is called. Enter opens the link. */
export const bindLinkKeys = (): (() => void) =>
  bindKeys([
    { keys: ['j', 'ArrowDown'], what: 'next link', run: focusLink((at) => at + 1) },
    { keys: ['k', 'ArrowUp'], what: 'link before', run: focusLink((at) => at - 1) },
    { keys: ['g', 'Home'], what: 'first link', run: focusLink(() => 0) },
    { keys: ['G', 'End'], what: 'last link', run: focusLink((_, last) => last) },
  ])

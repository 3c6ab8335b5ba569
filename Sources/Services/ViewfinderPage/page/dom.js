// Makes elements in few words.

/** An element with properties and children. Properties with a hyphen, and `role`, become attributes. */
export function make(tag, properties = {}, ...children) {
  return fill(document.createElement(tag), properties, children);
}

/** An SVG element with attributes and children. */
export function makeSVG(tag, attributes = {}, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** One of the icons of index.html. */
export function icon(name) {
  return makeSVG('svg', { 'aria-hidden': 'true' }, makeSVG('use', { href: `#i-${name}` }));
}

/** A button with a text. */
export function makeButton(label, press, properties = {}) {
  const element = make('button', { type: 'button', ...properties }, label);
  element.addEventListener('click', press);
  return element;
}

/** A field with its label, as a row of the panel. */
export function row(label, field, ...more) {
  const name = make('label', { htmlFor: field.id }, label);
  return make('div', { className: 'row' }, name, field, ...more);
}

/** A select element. `choices` are [value, label] pairs. */
export function makeSelect(id, choices, chosen, change) {
  const options = choices.map(([value, label]) => make('option', { value, selected: value === chosen }, label));
  const select = make('select', { id }, ...options);
  select.addEventListener('change', () => change(select.value));
  return select;
}

/** Makes `elements` the children of `parent`. Those that are there already stay, so that the focus stays too. */
export function arrange(parent, elements) {
  const wanted = new Set(elements);
  for (const each of [...parent.children]) if (!wanted.has(each)) each.remove();
  elements.forEach((element, place) => {
    const there = parent.children[place] ?? null;
    if (element !== there) parent.insertBefore(element, there);
  });
}

function fill(element, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined) continue;
    if (name.includes('-') || name === 'role') element.setAttribute(name, value);
    else element[name] = value;
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

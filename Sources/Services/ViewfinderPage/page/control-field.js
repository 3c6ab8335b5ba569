// One control of a camera as a row of the panel: a slider, a switch, a choice, a text or a button.

import { make, makeButton, makeSelect } from './dom.js';

export class ControlField {
  /** `set` is called with a ControlValue that the person chose. */
  constructor(control, set) {
    this.control = control;
    this.set = set;
    this.note = make('p', { className: 'remark', role: 'status' });
    this.output = null;
    this.input = this.makeInput(control);
    this.input.id = `control-${control.id}`;
    const label = make('label', { htmlFor: this.input.id }, control.displayName);
    this.element = make('div', { className: 'row' }, ...this.parts(label), this.note);
    this.update(control);
  }

  /** Shows the present value and whether the control can be set. A slider under the finger keeps its place. */
  update(control) {
    this.control = control;
    const isHeld = this.input.type === 'range' && this.input.matches(':active');
    if (!isHeld) this.showValue(control.value);
    const isFixed = control.readOnly || control.inactive || control.grabbed;
    this.input.disabled = isFixed || this.isUnknown;
    this.element.classList.toggle('inactive', isFixed);
    if (control.inactive) this.remark(['Another control governs this one.', false]);
    else if (this.note.textContent.startsWith('Another control')) this.remark(['', false]);
  }

  remark([words, isError]) {
    if (this.note.textContent !== words) this.note.textContent = words;
    this.note.classList.toggle('bad', isError);
  }

  parts(label) {
    if (this.input.type === 'range') {
      this.input.className = 'full';
      this.output = make('output', { htmlFor: this.input.id });
      return [label, this.output, this.input];
    }
    const isButton = this.control.controlType === 'BUTTON';
    return [isButton ? make('span', { className: 'label' }, this.control.displayName) : label, this.input];
  }

  makeInput(control) {
    switch (control.controlType) {
      case 'INTEGER':
      case 'INTEGER64':
        return this.makeSlider(control);
      case 'BOOLEAN': {
        const input = make('input', { type: 'checkbox', role: 'switch' });
        input.addEventListener('change', () => this.set({ boolean: input.checked }));
        return input;
      }
      case 'MENU':
      case 'INTEGER_MENU':
        return this.makeMenu(control);
      case 'BUTTON':
        return makeButton('Do it', () => this.set({ integer: 1n }), { 'aria-label': control.displayName });
      case 'STRING': {
        const input = make('input', { type: 'text', maxLength: Number(control.maximum) });
        input.addEventListener('change', () => this.set({ string: input.value }));
        return input;
      }
      case 'BITMASK': {
        const input = make('input', { type: 'number', min: 0 });
        input.addEventListener('change', () => { if (input.value) this.set({ integer: BigInt(input.value) }); });
        return input;
      }
      default:
        this.isUnknown = true;
        return make('input', { type: 'text', readOnly: true });
    }
  }

  makeMenu(control) {
    const choices = control.menuItems.map((item) => [String(item.index), item.label || String(item.number)]);
    return makeSelect('', choices, '', (value) => this.set({ integer: BigInt(value) }));
  }

  makeSlider(control) {
    const input = make('input', {
      type: 'range', min: String(control.minimum), max: String(control.maximum), step: String(control.step || 1n),
    });
    input.addEventListener('input', () => {
      this.output.textContent = input.value;
      this.set({ integer: BigInt(input.value) });
    });
    return input;
  }

  showValue(value) {
    if (!value) return;
    if (value.value === 'array') this.input.value = `${value.array.length} bytes`;
    else if (this.control.controlType === 'BOOLEAN') this.input.checked = value.boolean ?? value.integer === 1n;
    else this.input.value = String(value[value.value]);
    if (this.output) this.output.textContent = this.input.value;
  }
}

//! An ONNX graph being put together: nodes, constants, inputs, outputs. The numbers are the fields of `onnx.proto`.

use crate::protobuf::Message;

/// `TensorProto.FLOAT` and `TensorProto.INT64`.
const FLOAT: u64 = 1;
const INT64: u64 = 7;
/// `AttributeProto.INT` and `AttributeProto.INTS`.
const INT: u64 = 2;
const INTS: u64 = 7;

/// The value of an attribute.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Attribute<'a> {
    Integer(usize),
    Integers(&'a [usize]),
}

impl Attribute<'_> {
    fn message(self, name: &str) -> Message {
        let message = Message::new().text(1, name.as_bytes());
        match self {
            Self::Integer(value) => message.number(3, value as u64).number(20, INT),
            Self::Integers(values) => {
                let add = |message: Message, value: &usize| message.number(8, *value as u64);
                values.iter().fold(message, add).number(20, INTS)
            }
        }
    }
}

/// A graph, node by node; every node has one result, which its name is.
#[derive(Debug, Default)]
pub(crate) struct Graph {
    nodes: Vec<Message>,
    constants: Vec<Message>,
    inputs: Vec<Message>,
    outputs: Vec<Message>,
}

impl Graph {
    /// `name = operation(of…)`; returns the name.
    pub(crate) fn node(&mut self, operation: &str, of: &[&str], name: &str) -> String {
        self.nodes.push(node(operation, of, name));
        name.to_owned()
    }

    /// The same with attributes.
    pub(crate) fn node_with(
        &mut self,
        operation: &str,
        of: &[&str],
        name: &str,
        attributes: &[(&str, Attribute<'_>)],
    ) -> String {
        let node = node(operation, of, name);
        let node = attributes.iter().fold(node, |node, (name, value)| {
            node.message(5, &value.message(name))
        });
        self.nodes.push(node);
        name.to_owned()
    }

    /// An array of f32.
    pub(crate) fn floats(&mut self, name: &str, shape: &[usize], values: &[f32]) {
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        self.constants.push(tensor(name, shape, FLOAT, &bytes));
    }

    /// A list of whole numbers, none negative.
    pub(crate) fn integers(&mut self, name: &str, values: &[usize]) {
        let words = values.iter().map(|&value| value as u64);
        let bytes: Vec<u8> = words.flat_map(u64::to_le_bytes).collect();
        self.constants
            .push(tensor(name, &[values.len()], INT64, &bytes));
    }

    /// Rows of `width` numbers, any number of them.
    pub(crate) fn input(&mut self, name: &str, width: usize) {
        self.inputs.push(value(name, Some(width)));
    }

    /// The same going out; without a width one number per row.
    pub(crate) fn output(&mut self, name: &str, width: Option<usize>) {
        self.outputs.push(value(name, width));
    }

    /// The message.
    pub(crate) fn message(&self, name: &str) -> Message {
        let mut graph = Message::new();
        for node in &self.nodes {
            graph = graph.message(1, node);
        }
        graph = graph.text(2, name.as_bytes());
        for constant in &self.constants {
            graph = graph.message(5, constant);
        }
        for input in &self.inputs {
            graph = graph.message(11, input);
        }
        for output in &self.outputs {
            graph = graph.message(12, output);
        }
        graph
    }
}

fn node(operation: &str, of: &[&str], name: &str) -> Message {
    let inputs = of
        .iter()
        .fold(Message::new(), |node, input| node.text(1, input.as_bytes()));
    inputs
        .text(2, name.as_bytes())
        .text(3, name.as_bytes())
        .text(4, operation.as_bytes())
}

fn tensor(name: &str, shape: &[usize], kind: u64, bytes: &[u8]) -> Message {
    let sizes = shape.iter().fold(Message::new(), |tensor, &size| {
        tensor.number(1, size as u64)
    });
    sizes
        .number(2, kind)
        .text(8, name.as_bytes())
        .text(9, bytes)
}

fn value(name: &str, width: Option<usize>) -> Message {
    let rows = Message::new().text(2, b"N");
    let mut shape = Message::new().message(1, &rows);
    if let Some(width) = width {
        shape = shape.message(1, &Message::new().number(1, width as u64));
    }
    let tensor = Message::new().number(1, FLOAT).message(2, &shape);
    Message::new()
        .text(1, name.as_bytes())
        .message(2, &Message::new().message(1, &tensor))
}

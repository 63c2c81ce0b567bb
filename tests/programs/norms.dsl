# Softmax, layer norm, root mean square norm and batch norm.
param R, C;
assume R >= 1, C >= 1;
tensor f32 X(R,C), gain(C), shift(C);
most(i) max= X(i,j);
e(i,j) = exp(X(i,j) - most(i));
out softmax(i,j) = e(i,j) / sum(k: e(i,k));
out logsoftmax(i,j) = X(i,j) - most(i) - log(sum(k: e(i,k)));
mean(i) = sum(j: X(i,j)) / f32(C);
var(i) = sum(j: (X(i,j) - mean(i)) * (X(i,j) - mean(i))) / f32(C);
out layer_norm(i,j) = (X(i,j) - mean(i)) / sqrt(var(i) + 0.001) * gain(j) + shift(j);
out rms_norm(i,j) = X(i,j) / sqrt(sum(k: X(i,k) * X(i,k)) / f32(C) + 0.001) * gain(j);
m(j) = sum(i: X(i,j)) / f32(R);
v(j) = sum(i: (X(i,j) - m(j)) * (X(i,j) - m(j))) / f32(R);
out batch_norm(i,j) = (X(i,j) - m(j)) / sqrt(v(j) + 0.001) * gain(j) + shift(j);
